import type { Alert } from '../alert/alert.ts';
import type { ReasonCode } from '../alert/reason.ts';
import { mutes } from '../alert/subscription.ts';
import { time } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { type Considered, type DeliveryContext, keepsCurrent, livingPost } from './delivery.ts';
import { pass, suppress, type Verdict } from './stage.ts';

const code: ReasonCode = 'silenced';

/**
 * Suppresses alerts that a silence mutes, even if it was made while they waited. A message that exists already is still
 * edited, and people are notified of the other alerts in it.
 */
export function silence(
  considered: Considered,
  { outlet }: Pick<DeliveryContext, 'outlet'>,
): Verdict<Considered> {
  const { claim, notifying } = considered;
  const silenced = claim.alerts.filter((alert) => claim.silences.some((each) => mutes(each, alert.labels)));
  if (silenced.length === 0) return pass(considered);
  const isAudible = (alert: Alert) => !silenced.includes(alert);
  if (livingPost(claim) !== undefined && keepsCurrent(outlet))
    return pass({ ...considered, notifying: notifying.filter(isAudible) });
  const audible = claim.alerts.filter(isAudible);
  // A digest of the same time may have shown alerts that are not due any more.
  if (!audible.some(({ id }) => claim.rows.some(({ alertId }) => alertId === id))) {
    const muting = claim.silences.filter((each) => silenced.some(({ labels }) => mutes(each, labels)));
    const until = time(Math.max(...muting.map(({ endsAt }) => endsAt)));
    return suppress({ code, text: msg('silenced until {until}', { until }) });
  }
  const leftOut = silenced.map((alert) => ({ alert, reason: { code, text: msg('silenced') } }));
  return pass({
    claim: { ...claim, alerts: audible, leftOut: [...(claim.leftOut ?? []), ...leftOut] },
    notifying: notifying.filter(isAudible),
  });
}
