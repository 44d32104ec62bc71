import { useState } from 'preact/hooks';
import type { AlertRow } from '../platforms/web/ports/alert-feed.ts';
import { AlertLine, whenOf } from './alert-line.tsx';
import { Attention } from './attention.tsx';
import { foldAlerts, severityOf } from './folding.ts';
import { marketNow } from './model.ts';
import { marketName } from './numbers.ts';
import { alertId } from './route.ts';
import { msg, title } from './words.ts';

/** How many markets, or other subjects, a folded row names. */
const maxNamed = 4;

interface Rows {
  readonly alerts: readonly AlertRow[];
  /** Whether a firing alert can be acknowledged and snoozed. */
  readonly attended: boolean;
}

const Line = ({ alert, attended }: { readonly alert: AlertRow } & Pick<Rows, 'attended'>) => (
  <>
    <AlertLine alert={alert} />
    {attended && alert.endsAt === null && <Attention alert={alert} />}
  </>
);

function Folded({ alerts, attended }: Rows) {
  const [opened, setOpen] = useState<boolean | undefined>(undefined);
  // Until the user opens or closes the row, it is open if it contains the alert whose details are shown.
  const open = opened ?? alerts.some(({ id }) => id === alertId.value);
  const [first] = alerts;
  if (first === undefined) return null;
  const severity = severityOf(alerts);
  const subjects = [
    ...new Set(alerts.flatMap(({ symbol, groupRow }) => (symbol ? marketName(symbol) : (groupRow ?? [])))),
  ];
  const rest = subjects.length - maxNamed;
  return (
    <>
      <button
        type="button"
        class="alert-line folded"
        data-severity={severity}
        data-open={first.endsAt === null ? '' : undefined}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <span class="bullet" title={title(severity)} role="img" aria-label={title(severity)} />
        <span class="headline">
          {first.groupName} <b>×{alerts.length}</b>
        </span>
        <span class="when">
          {whenOf(first, marketNow.value)}
          {subjects.length > 0 && (
            <i>
              {' · '}
              {subjects.slice(0, maxNamed).join(', ')}
              {rest > 0 && ` +${rest}`}
            </i>
          )}
        </span>
      </button>
      {open && (
        <ul class="alert-lines unfolded">
          {alerts.map((alert) => (
            <li key={alert.id}>
              <Line alert={alert} attended={attended} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const Row = ({ alerts, attended }: Rows) => {
  const [first] = alerts;
  if (first === undefined) return null;
  return alerts.length === 1 ? (
    <Line alert={first} attended={attended} />
  ) : (
    <Folded alerts={alerts} attended={attended} />
  );
};

/** Lists alerts in rows, firing ones first; simultaneous alerts of one kind share a row. */
export function AlertList({
  rows,
  most,
  attended = false,
}: {
  readonly rows: readonly AlertRow[];
  readonly most: number;
} & Partial<Pick<Rows, 'attended'>>) {
  const folds = foldAlerts(rows);
  const firing = folds.filter(({ alerts }) => alerts[0]?.endsAt === null);
  const ended = folds.filter(({ alerts }) => alerts[0]?.endsAt !== null);
  return (
    <ul class="alert-lines">
      {[...firing, ...ended].slice(0, most).map(({ key, alerts }) => (
        <li key={key}>
          <Row alerts={alerts} attended={attended} />
        </li>
      ))}
    </ul>
  );
}

export const noAlerts = () => (
  <p class="empty">{msg('No alerts yet. They appear here as the market turns.')}</p>
);
