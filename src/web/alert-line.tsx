import type { AlertRow } from '../platforms/web/ports/alert-feed.ts';
import { isAcknowledged } from './attention.tsx';
import { marketNow } from './model.ts';
import { alertId, linkTo } from './route.ts';
import { age, momentOf } from './time.ts';
import { labelTitle, msg } from './words.ts';

/** Returns for how long the alert has been firing, or when it ended and how long it lasted. */
export function whenOf({ startsAt, endsAt }: AlertRow, now: number): string {
  if (endsAt === null) return msg('firing for {age}', { age: age(now - startsAt) });
  return msg('ended {time}, after {age}', { time: momentOf(endsAt), age: age(endsAt - startsAt) });
}

/** Returns why the alert was sent to nobody; undefined if it was not held back. */
const notSentReason = ({ delivery, reason }: AlertRow): string | undefined =>
  delivery === 'held' ? msg('not sent: {reason}', { reason: reason ?? '' }) : undefined;

/** Shows an alert as one line, which links to its details. */
export function AlertLine({ alert }: { readonly alert: AlertRow }) {
  const { id, severity, endsAt, title: headline } = alert;
  const notSent = notSentReason(alert);
  return (
    <a
      class="alert-line"
      data-severity={severity}
      data-open={endsAt === null ? '' : undefined}
      data-known={isAcknowledged(alert) ? '' : undefined}
      aria-current={alertId.value === id ? 'true' : undefined}
      {...linkTo(`/alerts/${id}`)}
    >
      <span class="bullet" title={labelTitle(severity)} role="img" aria-label={labelTitle(severity)} />
      <span class="headline">{headline}</span>
      <span class="when">
        {whenOf(alert, marketNow.value)}
        {notSent !== undefined && <i> · {notSent}</i>}
      </span>
    </a>
  );
}
