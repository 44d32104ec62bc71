import type { Claim, Settlement } from '../store/ports.ts';
import { interrupts } from './budget.ts';
import { type DeliveryContext, type Planned, placeOf } from './delivery.ts';
import { postId } from './merge.ts';
import { failed, longestAttempt } from './send.ts';
import { pass, type Verdict } from './stage.ts';

/**
 * Looks for a post that was begun and may have arrived, before anything else is decided. A post that is found is stored
 * as sent and kept up to date from then on, even if its alerts have been silenced or unsubscribed since. A post that is
 * not there is decided on again, and so is one of which the platform cannot tell; a platform that recognises a repeated
 * post takes it once.
 */
export async function find(claim: Claim, context: DeliveryContext): Promise<Verdict<Claim>> {
  const { outlet, turn, settle } = context;
  if (claim.postInDoubt === null || outlet.connection.find === undefined) return pass(claim);
  const act = claim.post === undefined ? 'send' : 'reply';
  if (!(await turn.useAt(placeOf(outlet, claim.receiver, 'post'), 'routine'))) return pass();
  let found: string | null | undefined;
  try {
    found = await findPost(claim, context);
  } catch (error) {
    await settle(failed(error, { claim, act, context }));
    return pass();
  }
  if (found === undefined && claim.alerts.length > 0) return pass(claim);
  await settle(
    typeof found === 'string'
      ? foundSettlement({ claim, act }, { ...context, reference: found })
      : absentSettlement(claim, context),
  );
  return pass();
}

const findPost = ({ key, group, post, receiver: { address } }: Claim, { outlet }: DeliveryContext) => {
  const sought = { id: postId({ key, group, post }), replyTo: post?.reference };
  return outlet.connection.find?.(sought, { address, signal: AbortSignal.timeout(longestAttempt) });
};

const absentSettlement = (claim: Claim, { now }: DeliveryContext): Settlement => ({
  kind: 'absent',
  claim,
  at: now(),
});

/**
 * Returns the outcome for a post that was found: it was sent as it was begun. Later revisions stay in the outbox and
 * become its next update.
 */
function foundSettlement(
  planned: Pick<Planned, 'claim' | 'act'>,
  { reference, now }: { readonly reference: string } & DeliveryContext,
): Settlement {
  const { claim } = planned;
  const { postInDoubt, post } = claim;
  const shown = postInDoubt?.shown ?? {};
  return {
    kind: 'sent',
    claim: {
      ...claim,
      rows: claim.rows.filter(({ alertId, revision }) => revision <= (shown[alertId] ?? 0)),
    },
    at: now(),
    reference,
    ...(post !== undefined && post.reference !== reference && { replaced: post.reference }),
    shown,
    unknown: postInDoubt?.unknown ?? false,
    interrupts: interrupts(planned),
    note: null,
  };
}
