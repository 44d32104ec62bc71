import type { AlertRow } from '../platforms/alert-feed.ts';
import { marketNow } from './model.ts';
import { alertId, linkTo } from './route.ts';
import { age, momentOf } from './time.ts';
import { msg, title } from './words.ts';

/** When, of an alert: for how long it fires, or when it ended and how long it went on. */
export function whenOf({ startsAt, endsAt }: AlertRow, now: number): string {
  if (endsAt === null) return msg('firing for {age}', { age: age(now - startsAt) });
  return msg('{time}, lasted {age}', { time: momentOf(endsAt), age: age(endsAt - startsAt) });
}

/** Why it was sent to nobody, where that is so. */
const notSentReason = ({ delivery, reason }: AlertRow): string | undefined =>
  delivery === 'held' ? msg('not sent: {reason}', { reason: reason ?? '' }) : undefined;

/** An alert in a line that leads to its life. */
export function AlertLine({ alert }: { readonly alert: AlertRow }) {
  const { id, severity, endsAt, title: headline } = alert;
  const notSent = notSentReason(alert);
  return (
    <a
      class="alert-line"
      data-severity={severity}
      data-open={endsAt === null ? '' : undefined}
      aria-current={alertId.value === id ? 'true' : undefined}
      {...linkTo(`/alerts/${id}`)}
    >
      <span class="bullet" title={title(severity)} role="img" aria-label={title(severity)} />
      <span class="headline">{headline}</span>
      <span class="when">
        {whenOf(alert, marketNow.value)}
        {notSent !== undefined && <i> · {notSent}</i>}
      </span>
    </a>
  );
}
