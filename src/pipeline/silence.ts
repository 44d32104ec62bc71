import { mutes, type Silence } from '../alert/subscription.ts';
import type { Claim } from '../store/store.ts';
import type { Considered } from './delivery.ts';
import { pass, suppress, type Verdict } from './stage.ts';

/** Muted on request, also when the silence was made while it waited. A message already there is kept true. */
export function silence(considered: Considered): Verdict<Considered> {
  const { claim } = considered;
  const silenced = claim.alerts.filter((alert) => claim.silences.some((each) => mutes(each, alert.labels)));
  if (silenced.length === 0) return pass(considered);
  if (claim.post !== undefined) return pass({ ...considered, mayNotify: false });
  const audible = claim.alerts.filter((alert) => !silenced.includes(alert));
  if (audible.length === 0) return suppress(`silenced${until(claim.silences)}`);
  const leftOut = silenced.map((alert) => ({ alert, reason: 'silenced' }));
  return pass({ ...considered, claim: { ...claim, alerts: audible, leftOut } });
}

const until = (silences: Claim['silences']): string => {
  const ends = Math.max(...silences.map((each: Silence) => each.endsAt));
  return ` until ${new Date(ends).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
};
