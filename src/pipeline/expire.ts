import type { DeliveryContext, Rendered } from './delivery.ts';
import { pass, suppress, type Verdict } from './stage.ts';

/** Too old to be told anew; a message that is there is still brought up to date. */
export function expire(rendered: Rendered, { now, expireAfter }: DeliveryContext): Verdict<Rendered> {
  const newest = Math.max(...rendered.claim.alerts.map(({ updatedAt }) => updatedAt));
  return rendered.act !== 'edit' && now() - newest > expireAfter ? suppress('expired') : pass(rendered);
}
