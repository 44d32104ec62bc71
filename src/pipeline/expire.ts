import { digestTime } from '../alert/post-group.ts';
import { msgIn } from '../language/text.ts';
import type { DeliveryContext, Rendered } from './delivery.ts';
import { pass, suppress, type Verdict } from './stage.ts';

/** Too old to be told anew; a message that is there is still brought up to date. */
export function expire(rendered: Rendered, { now, expireAfter }: DeliveryContext): Verdict<Rendered> {
  const { alerts, group } = rendered.claim;
  // A digest is as old as its hour, not as what it tells.
  const newest = digestTime(group) ?? Math.max(...alerts.map(({ updatedAt }) => updatedAt));
  return rendered.act !== 'edit' && now() - newest > expireAfter
    ? suppress({ code: 'expired', text: msgIn('reason', 'expired') })
    : pass(rendered);
}
