import type { Alert } from '../alert/alert.ts';
import { quietUntil } from '../alert/quiet-hours.ts';
import { wants } from '../alert/subscription.ts';
import { msg } from '../language/text.ts';
import { type Considered, type DeliveryContext, keepsCurrent, livingPost } from './delivery.ts';
import { pass, postpone, type Verdict } from './stage.ts';

/**
 * Postpones routine alerts to the end of the receiver's quiet hours. Urgent alerts are sent at once. A message that exists
 * already is still edited, and people are notified of the alerts in it that are wanted outside quiet hours.
 */
export function quietHours(
  considered: Considered,
  { now, universe, outlet }: DeliveryContext,
): Verdict<Considered> {
  const { claim, notifying } = considered;
  if (claim.urgent) return pass(considered);
  const tracked = universe();
  const at = now();
  const wishes = claim.subscriptions.map((each) => ({
    ...each,
    end: each.quietHours === null ? null : quietUntil(each.quietHours, at),
  }));
  const endsFor = (alerts: readonly Alert[]) =>
    wishes
      .filter((each) => alerts.some((alert) => wants(each, { alert, universe: tracked })))
      .map(({ end }) => end);
  // One subscription outside its quiet hours is enough.
  const isQuiet = (ends: readonly (number | null)[]) => ends.length > 0 && !ends.includes(null);
  if (livingPost(claim) !== undefined && keepsCurrent(outlet))
    return pass({ ...considered, notifying: notifying.filter((alert) => !isQuiet(endsFor([alert]))) });
  const ends = endsFor(claim.alerts);
  if (!isQuiet(ends)) return pass(considered);
  return postpone(Math.min(...ends.filter((end) => end !== null)), {
    code: 'quiet_hours',
    text: msg('quiet hours'),
  });
}
