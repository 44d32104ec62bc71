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
      id: digest([claim.key, claim.group, post?.reference ?? '']),
      version: digest(alerts.map(({ id, revision }) => [id, revision])),
      card,
      urgent: claim.urgent,
      doubt: claim.doubt,
      ...(post !== undefined && { replyTo: post.reference }),
    },
  });
}

/** 22 characters: an id may be Discord's nonce, which takes at most 25. */
const digest = (identity: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(identity)).digest('base64url').slice(0, 22);
