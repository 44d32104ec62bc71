import { createHash } from 'node:crypto';
import { alertCard } from '../card/alert-card.ts';
import { minute } from '../runtime/units.ts';
import type { DeliveryContext, Planned, Rendered } from './delivery.ts';
import { pass, type Verdict } from './stage.ts';

/** Behind its alert by more than this (market ms), a first post says how late it is. */
const late = 15 * minute;

/** All that is due, whatever its revisions, becomes one card of the latest state. */
export function merge(planned: Planned, { now, source }: DeliveryContext): Verdict<Rendered> {
  const { claim, act } = planned;
  const { alerts, post } = claim;
  const behind = now() - Math.max(...alerts.map(({ updatedAt }) => updatedAt));
  const card = alertCard(alerts, {
    source: source(),
    ...(act === 'send' && behind > late && { lateBy: behind }),
  });
  return pass({
    ...planned,
    notification: {
      id: postId(claim.key, claim.group, post?.reference ?? ''),
      card,
      urgent: claim.urgent,
      ...(post !== undefined && { replyTo: post.reference }),
    },
  });
}

/**
 * The same for every attempt at the same post, whatever joined it between two attempts, and another for the next
 * post of the group: an idempotency key. 22 characters, as Discord's nonce takes at most 25.
 */
const postId = (receiver: string, group: string, previous: string): string =>
  createHash('sha256')
    .update(JSON.stringify([receiver, group, previous]))
    .digest('base64url')
    .slice(0, 22);
