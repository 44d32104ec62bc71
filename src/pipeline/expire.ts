import { digestTime } from '../alert/post-group.ts';
import { msgIn } from '../language/text.ts';
import type { DeliveryContext, Rendered } from './delivery.ts';
import { pass, suppress, type Verdict } from './stage.ts';

/** Suppresses a post about alerts that are too old. A message that exists already is still edited. */
export function expire(rendered: Rendered, { now, expireAfter }: DeliveryContext): Verdict<Rendered> {
  const { alerts, group } = rendered.claim;
  // The age of a digest counts from the time it was due, not from the alerts in it.
  const newest = digestTime(group) ?? Math.max(...alerts.map(({ updatedAt }) => updatedAt));
  return rendered.act !== 'edit' && now() - newest > expireAfter
    ? suppress({ code: 'expired', text: msgIn('reason', 'expired') })
    : pass(rendered);
}
