import { quietUntil } from '../alert/quiet-hours.ts';
import { wants } from '../alert/subscription.ts';
import { msg } from '../language/text.ts';
import { type Considered, type DeliveryContext, livingPost } from './delivery.ts';
import { pass, postpone, type Verdict } from './stage.ts';

/** Postpones routine alerts to the end of the receiver's quiet hours. Urgent alerts are sent at once. */
export function quietHours(considered: Considered, { now, universe }: DeliveryContext): Verdict<Considered> {
  const { claim } = considered;
  if (claim.urgent) return pass(considered);
  const tracked = universe();
  const wanting = claim.subscriptions.filter((each) =>
    claim.alerts.some((alert) => wants(each, { alert, universe: tracked })),
  );
  const ends = wanting.map(({ quietHours }) => (quietHours === null ? null : quietUntil(quietHours, now())));
  // One subscription outside its quiet hours is enough.
  if (ends.length === 0 || ends.includes(null)) return pass(considered);
  if (livingPost(claim) !== undefined) return pass({ ...considered, notifying: [] });
  return postpone(Math.min(...ends.filter((end) => end !== null)), {
    code: 'quiet_hours',
    text: msg('quiet hours'),
  });
}
