import type { Reason } from '../alert/reason.ts';
import { DeliveryError } from '../language/errors.ts';
import { msg, type Text } from '../language/text.ts';
import type { Sending } from '../platforms/notifier.ts';
import { withSendCheck } from '../runtime/send-check.ts';
import { hour, minute, second } from '../runtime/units.ts';
import type { Settlement } from '../store/ports.ts';
import { interrupts } from './budget.ts';
import { defect, tries } from './defect.ts';
import {
  type Attempt,
  type DeliveryContext,
  editedBy,
  isPost,
  placeOf,
  type Rendered,
  revisionsOf,
  shownKey,
} from './delivery.ts';
import { noteOf, withNote, withRepeatLine } from './doubt.ts';
import { outageRetryDelay } from './outage.ts';
import { pass, type Verdict } from './stage.ts';
import { begunPostOf, shownBy } from './throttle.ts';

/** Wall ms that one request may take. */
export const longestAttempt = minute;

/** The longest wait between two attempts at a place that was not found, wall ms. */
const longestMissingDelay = hour;

/** Makes one attempt to post or edit a message. The next stage, `settle`, stores the outcome. */
export async function send(rendered: Rendered, context: DeliveryContext): Promise<Verdict<Settlement>> {
  if (!context.holdsRole()) return pass(notSent(rendered, context));
  const { claim, act, notification } = rendered;
  const { connection } = context.outlet;
  const signal = withSendCheck(AbortSignal.timeout(longestAttempt), context.holdsRole);
  const sending = { address: claim.receiver.address, signal, lease: context.lease };
  const edited = editedBy(claim);
  try {
    if (act === 'edit' && connection.edit !== undefined && edited !== undefined) {
      const reference = await connection.edit(edited, { notification, ...sending });
      context.outage.recordAnswer();
      // Where nobody may be told, a message that people have deleted does not come back.
      const mayPost = notification.onlyEdit !== true && rendered.notifying.length > 0;
      if (reference === null && mayPost) return postAnew(rendered, context, sending);
      return pass(done('edited', { ...rendered, ...context, reference: reference ?? edited }));
    }
    const reference = await connection.send(notification, sending);
    context.outage.recordAnswer();
    return pass(done('sent', { ...rendered, ...context, reference }));
  } catch (error) {
    return pass(failed(error, { ...rendered, context }));
  }
}

/** Posts an update whose message no longer exists. Nothing of it is news, so the post makes no sound. */
async function postAnew(
  rendered: Rendered,
  context: DeliveryContext,
  sending: Sending,
): Promise<Verdict<Settlement>> {
  const { claim, notification } = rendered;
  const { outlet, begin } = context;
  const { signal } = sending;
  const { replyTo: _, ...update } = notification;
  const post = { ...update, card: withRepeatLine(update.card, claim) };
  const place = placeOf(outlet, claim.receiver, 'post');
  try {
    await outlet.pace.take(place, { lane: 'routine', signal });
  } catch (error) {
    return pass(failed(error, { ...rendered, context }));
  }
  const begun = { ...begunPostOf(rendered), isUpdate: true };
  if (!(await begin(claim, { post: begun, isHeld: true }))) return pass();
  try {
    const reference = await outlet.connection.send(post, sending);
    return pass(done('edited', { ...rendered, ...context, reference }));
  } catch (error) {
    return pass(failed(error, { ...rendered, act: 'send', context }));
  }
}

const noTurn = (): DeliveryError =>
  new DeliveryError(
    { kind: 'rate_limited', retryAfter: second },
    msg('the rate limit left no time for it; resending'),
  );

/** Whether the time of an attempt was over before a further request of it had its turn. Requests fail with a DeliveryError. */
const isOutOfTime = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'TimeoutError';

/**
 * Returns the outcome of a message that was not sent because this process may have lost its role. If another process
 * holds the role by now, this outcome cannot be stored either, and that process looks for the post that was begun.
 */
const notSent = ({ claim }: Rendered, { now }: DeliveryContext): Settlement => ({
  kind: 'retry',
  claim,
  at: now(),
  until: now(),
  attempted: false,
  holds: 'receiver',
  inDoubt: claim.postInDoubt !== null,
  reason: { code: 'not_delivered', text: msg('another process may have taken over') },
});

function done(
  kind: 'sent' | 'edited',
  given: { readonly reference: string } & Rendered & DeliveryContext,
): Settlement {
  const { reference, claim, act, unknown, now, outlet } = given;
  const at = now();
  if (claim.replaced !== null) return { kind: 'pointed', claim, at, reason: null };
  // A reply replaces the message before it, and so does a new message that the platform made of an edit. A digest or
  // another first post replaces none.
  const { edit, isSameMessage = Object.is } = outlet.connection;
  const before = act === 'send' || edit === undefined ? undefined : claim.post?.reference;
  return {
    kind,
    claim,
    at,
    reference,
    ...(before !== undefined && !isSameMessage(before, reference) && { replaced: before }),
    shown: shownBy(claim),
    unknown,
    interrupts: kind === 'sent' && interrupts({ claim, act }),
    // This holds for an edit, too: the post that an earlier attempt began may have arrived as well.
    note: noteOf(claim),
  };
}

export function failed(cause: unknown, attempt: { readonly context: DeliveryContext } & Attempt): Settlement {
  const error = isOutOfTime(cause) ? noTurn() : cause;
  const { claim, context } = attempt;
  const { now, log, outage, outlet } = context;
  const at = now();
  const reason: Reason = { code: 'not_delivered', text: textOf(error) };
  if (!(error instanceof DeliveryError)) {
    // This is a bug in Tocsin: whether the message was posted is unknown.
    log.error(
      { err: error, receiver: shownKey(outlet, claim.receiver), alerts: revisionsOf(claim) },
      'error in a notifier; the message is retried or marked as failed',
    );
    return claim.attempts + 1 < tries ? retry(true, 'message') : giveUp(defect(error));
  }
  const { outcome } = error;
  if (outcome.kind === 'unavailable') outage.recordFailure();
  // A refusal shows that the platform responds. A rate limit does not: it may be our own, or that of a proxy in between.
  else if (outcome.kind !== 'rate_limited') outage.recordAnswer();
  switch (outcome.kind) {
    case 'rate_limited':
      return {
        ...retry(false, 'receiver'),
        until: context.after(outcome.retryAfter),
        attempted: false,
      };
    case 'unavailable':
      // A failed edit holds up no new post. It is given up after three attempts, unless other attempts at the platform
      // fail, too.
      if (isPost(attempt, context.outlet)) return retry(outcome.accepted === 'unknown', 'receiver');
      return claim.attempts + 1 < tries || !outage.isSingleFailure()
        ? retry(outcome.accepted === 'unknown', 'message')
        : giveUp(reason);
    case 'barred':
      return { kind: 'barred', claim, at, wall: context.wall.now(), reason };
    case 'missing':
      return {
        kind: 'missing',
        claim,
        at,
        wall: context.wall.now(),
        reason,
        until: context.after(Math.min(longestMissingDelay, minute * 2 ** claim.attempts)),
      };
    case 'gone':
      return { kind: 'gone', claim, at, reason };
    case 'moved': {
      const address = outcome.to as typeof claim.receiver.address;
      return { kind: 'moved', claim, at, to: { ...claim.receiver, address } };
    }
    case 'rejected':
      return giveUp(reason);
  }

  function giveUp(why: Reason): Settlement {
    return {
      kind: claim.replaced === null ? 'failed' : 'pointed',
      claim,
      at,
      reason: withNote(why, claim),
    };
  }

  function retry(mayHaveArrived: boolean, holds: 'receiver' | 'message') {
    const isOutage = outage.isLasting();
    return {
      kind: 'retry',
      claim,
      at,
      holds,
      reason,
      until: context.after(isOutage ? outageRetryDelay : backoff(claim.attempts, context.random)),
      attempted: !isOutage,
      // Even if this attempt did not arrive, an earlier one may have.
      inDoubt: mayHaveArrived || claim.postInDoubt !== null,
    } as const;
  }
}

const textOf = (error: unknown): Text => {
  if (error instanceof DeliveryError) return error.text;
  return error instanceof Error ? error.message : String(error);
};

/**
 * Returns the wall ms until the next attempt: exponential from 1 s to 5 min, half of it random, so that many messages
 * are not tried again at the same moment.
 */
export const backoff = (attempts: number, random: () => number): number =>
  Math.min(second * 2 ** attempts, 5 * minute) * (0.5 + 0.5 * random());
