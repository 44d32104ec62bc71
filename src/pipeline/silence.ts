import type { ReasonCode } from '../alert/reason.ts';
import { mutes } from '../alert/subscription.ts';
import { time } from '../language/format.ts';
import { msg } from '../language/text.ts';
import type { Considered } from './delivery.ts';
import { pass, suppress, type Verdict } from './stage.ts';

const code: ReasonCode = 'silenced';

/**
 * Suppresses alerts that a silence mutes, even if it was made while they waited. A message that exists already is still
 * edited.
 */
export function silence(considered: Considered): Verdict<Considered> {
  const { claim } = considered;
  const silenced = claim.alerts.filter((alert) => claim.silences.some((each) => mutes(each, alert.labels)));
  if (silenced.length === 0) return pass(considered);
  if (claim.post !== undefined) return pass({ ...considered, mayNotify: false });
  const audible = claim.alerts.filter((alert) => !silenced.includes(alert));
  if (audible.length === 0) {
    const muting = claim.silences.filter((each) => silenced.some(({ labels }) => mutes(each, labels)));
    const until = time(Math.max(...muting.map(({ endsAt }) => endsAt)));
    return suppress({ code, text: msg('silenced until {until}', { until }) });
  }
  const leftOut = silenced.map((alert) => ({ alert, reason: { code, text: msg('silenced') } }));
  return pass({
    ...considered,
    claim: { ...claim, alerts: audible, leftOut: [...(claim.leftOut ?? []), ...leftOut] },
  });
}
