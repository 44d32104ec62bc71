import { effect, signal } from '@preact/signals';
import type { AlertRow } from '../platforms/web/ports/alert-feed.ts';
import { AlertLine, whenOf } from './alert-line.tsx';
import { Attention } from './attention.tsx';
import { bySeverity, foldAlerts } from './folding.ts';
import { alerts as heldAlerts } from './held-alerts.ts';
import { marketNow } from './model.ts';
import { marketName } from './numbers.ts';
import { alertId } from './route.ts';
import { labelTitle, msg } from './words.ts';

/** What lists show: all alerts, but as they were for as long as somebody reads a list. */
export const listed = signal<readonly AlertRow[]>([]);
/** Wall ms after the last movement of a pointer or press of a key for which the list under it counts as being read. */
const readingTime = 15_000;
let lastInputAt = Number.NEGATIVE_INFINITY;
for (const type of ['pointermove', 'wheel', 'keydown'])
  addEventListener(type, () => {
    lastInputAt = performance.now();
  });
const isBeingRead = (): boolean =>
  performance.now() - lastInputAt < readingTime &&
  document.querySelector('.scrolls:has(> .alert-lines):is(:hover, :focus-visible, :has(:focus-visible))') !==
    null;
const updateListed = () => {
  if (!isBeingRead()) listed.value = heldAlerts.peek();
};
effect(() => {
  heldAlerts.value;
  updateListed();
});
setInterval(updateListed, 1_000);

/** By the key of a folded row: whether the user has opened or closed it. */
const opened = signal<ReadonlyMap<string, boolean>>(new Map());

/** How many markets, or other subjects, a folded row names. */
const maxNamed = 4;

interface Rows {
  /** The key of their row. */
  readonly of: string;
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

function Folded({ of, alerts, attended }: Rows) {
  // Until the user opens or closes the row, it is open if it contains the alert whose details are shown.
  const open = opened.value.get(of) ?? alerts.some(({ id }) => id === alertId.value);
  const [first] = alerts;
  if (first === undefined) return null;
  const severity = bySeverity(alerts)[0]?.severity ?? 'info';
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
        onClick={() => {
          opened.value = new Map(opened.value).set(of, !open);
        }}
      >
        <span class="bullet" title={labelTitle(severity)} role="img" aria-label={labelTitle(severity)} />
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

const Row = ({ of, alerts, attended }: Rows) => {
  const [first] = alerts;
  if (first === undefined) return null;
  return alerts.length === 1 ? (
    <Line alert={first} attended={attended} />
  ) : (
    <Folded of={of} alerts={alerts} attended={attended} />
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
      {/* A line keeps its place and says what is there now: with each new alert all of them would move. */}
      {[...firing, ...ended].slice(0, most).map(({ key, alerts }, place) => (
        <li key={place}>
          <Row key={key} of={key} alerts={alerts} attended={attended} />
        </li>
      ))}
    </ul>
  );
}

export const noAlerts = () => (
  <p class="empty">{msg('No alerts yet. They appear here as the market turns.')}</p>
);
