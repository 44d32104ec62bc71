import { type Alert, escalated } from '../alert/alert.ts';
import type { Considered, Planned } from './delivery.ts';
import { waitsForMorning } from './quiet-hours.ts';
import { pass, suppress, type Verdict } from './stage.ts';

/** Nothing is told twice: a living message is edited, and answered only where an alert is new in it or worse. */
export function dedup(considered: Considered): Verdict<Planned> {
  const { claim, mayNotify } = considered;
  const { post, rows, alerts } = claim;
  const isNew = (alert: Alert) =>
    rows.some((row) => row.alertId === alert.id && row.revision > (post?.shown[alert.id] ?? 0));
  if (!alerts.some(isNew)) return suppress('already told');
  if (post === undefined) {
    const begins = rows.some(({ revision }) => revision === 1) || alerts.some(escalated);
    if (!begins) return suppress('its beginning was not told here');
    if (claim.waitedFor === waitsForMorning && alerts.every(({ status }) => status === 'resolved')) {
      return suppress('over before the quiet hours ended');
    }
    return pass({ ...considered, act: 'send' });
  }
  const loud = alerts.some(
    (alert) => isNew(alert) && (post.shown[alert.id] === undefined || escalated(alert)),
  );
  return pass({ ...considered, act: loud && mayNotify ? 'reply' : 'edit' });
}
