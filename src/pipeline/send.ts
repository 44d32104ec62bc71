import type { Reason } from '../alert/reason.ts';
import { msg, type Text } from '../language/text.ts';
import { DeliveryError } from '../runtime/errors.ts';
import { minute, second } from '../runtime/units.ts';
import type { Settlement } from '../store/store.ts';
import type { DeliveryContext, Rendered } from './delivery.ts';
import { askAgain } from './outage.ts';
import { pass, type Verdict } from './stage.ts';

/** Wall ms; below the pipeline's lease, so that no other takes the claim over while it is being sent. */
const longestAttempt = minute;

/** One attempt; what became of it is for `settle` to keep. */
export async function send(rendered: Rendered, context: DeliveryContext): Promise<Verdict<Settlement>> {
  const { claim, act, notification } = rendered;
  const { connection } = context.outlet;
  const { address } = claim.receiver;
  const signal = AbortSignal.timeout(longestAttempt);
  const edited = claim.replaced ?? claim.post?.reference;
  try {
    if (act === 'edit' && connection.edit !== undefined && edited !== undefined) {
      const reference = await connection.edit(edited, notification, address, signal);
      context.outage.answered();
      return pass(done('edited', reference, rendered, context));
    }
    const reference = await connection.send(notification, address, signal);
    context.outage.answered();
    return pass(done('sent', reference, rendered, context));
  } catch (error) {
    return pass(failed(error, rendered, context));
  }
}

const possiblyDoubled: Reason = { code: 'possibly_doubled', text: msg('possibly doubled') };

function done(
  kind: 'sent' | 'edited',
  reference: string,
  { claim, act, unknown }: Rendered,
  { now, outlet: { connection } }: DeliveryContext,
): Settlement {
  const at = now();
  if (claim.replaced !== null) return { kind: 'pointed', claim, at, reason: null };
  // Also by an edit, where the platform takes an answer in its stead. Digests follow one another, and stand.
  const before = act === 'send' || connection.edit === undefined ? undefined : claim.post?.reference;
  return {
    kind,
    claim,
    at,
    reference,
    ...(before !== undefined && before !== reference && { replaced: before }),
    shown: {
      ...claim.post?.shown,
      ...Object.fromEntries(claim.alerts.map(({ id, revision }) => [id, revision])),
    },
    unknown,
    note: claim.doubt && kind === 'sent' && !connection.settlesDoubt ? possiblyDoubled : null,
  };
}

function failed(error: unknown, { claim }: Rendered, context: DeliveryContext): Settlement {
  const { now, wall, log, outage } = context;
  const at = now();
  const reason: Reason = { code: 'not_delivered', text: textOf(error) };
  if (!(error instanceof DeliveryError)) {
    // A defect of ours: whether it was posted is unknown.
    log.error({ err: error, receiver: claim.key }, 'a notifier failed');
    return retry(true);
  }
  const { outcome } = error;
  if (outcome.kind === 'unavailable') outage.failed();
  // A refusal is an answer; that it asks to be spared may be said by ourselves, or by what stands before it.
  else if (outcome.kind !== 'rate_limited') outage.answered();
  switch (outcome.kind) {
    case 'rate_limited':
      return {
        ...retry(false),
        holdUntil: wall.now() + outcome.retryAfter,
        attempted: false,
        outage: false,
      };
    case 'unavailable':
      return retry(outcome.accepted === 'unknown');
    case 'barred':
      return { kind: 'barred', claim, at, wall: wall.now(), reason };
    case 'gone':
      return { kind: 'gone', claim, at, reason };
    case 'moved': {
      const address = outcome.to as typeof claim.receiver.address;
      return { kind: 'moved', claim, at, to: { ...claim.receiver, address } };
    }
    case 'rejected':
      return { kind: claim.replaced === null ? 'failed' : 'pointed', claim, at, reason };
  }

  function retry(doubt: boolean) {
    const out = outage.lasts();
    const holdUntil = wall.now() + (out ? askAgain : backoff(claim.attempts, context.random));
    return { kind: 'retry', claim, at, holdUntil, attempted: !out, doubt, outage: out, reason } as const;
  }
}

const textOf = (error: unknown): Text => {
  if (error instanceof DeliveryError) return error.text;
  return error instanceof Error ? error.message : String(error);
};

/** Exponential from 1 s to 5 min, with half of it left to chance, so that many do not return as one. */
const backoff = (attempts: number, random: () => number): number =>
  Math.min(second * 2 ** attempts, 5 * minute) * (0.5 + 0.5 * random());
