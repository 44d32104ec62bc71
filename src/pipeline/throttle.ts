import type { BegunPost } from '../store/ports.ts';
import { type DeliveryContext, isPost, placeOf, type Rendered } from './delivery.ts';
import { pass, type Verdict } from './stage.ts';

/**
 * Waits for a turn at the platform's pace, and only then stores that the post begins: a post that still waited for its
 * turn cannot have been sent.
 */
export async function throttle(
  rendered: Rendered,
  { outlet, turn, begin }: DeliveryContext,
): Promise<Verdict<Rendered>> {
  const { claim, act } = rendered;
  const place = placeOf(outlet, claim.receiver, act === 'edit' ? 'edit' : 'post');
  const lane = act === 'edit' ? 'edit' : claim.urgent ? 'urgent' : 'routine';
  // No turn came soon. Nothing was stored about the claim, so it is due again.
  if (!(await turn.useAt(place, lane))) return pass();
  const post = isPost(rendered, outlet) ? begunPostOf(rendered) : claim.postInDoubt;
  return (await begin(claim, { post })) ? pass(rendered) : pass();
}

/** Returns what is stored of a post before it is sent. */
export const begunPostOf = ({ claim, unknown }: Rendered): BegunPost => ({
  group: claim.group,
  shown: shownBy(claim),
  unknown,
});

/** Returns the revision of each alert that the message shows once it is sent, by alert id. */
export const shownBy = ({ post, alerts }: Rendered['claim']): Readonly<Record<string, number>> => ({
  ...post?.shown,
  ...Object.fromEntries(alerts.map(({ id, revision }) => [id, revision])),
});
