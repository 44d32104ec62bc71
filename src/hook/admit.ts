import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { keyPrefix, signatureOf } from '../runtime/standard-webhooks.ts';
import { minute, second } from '../runtime/units.ts';

/** What a sender proves itself by. Of a secret that is sent along only its hash is kept; one that signs is needed itself. */
export type HookLock = { readonly hash: string } | { readonly signing: string };

/** By how much a signature's time may be another than ours, as Standard Webhooks has it. */
const tolerance = 5 * minute;

export interface Sent {
  /** From the path; undefined where it is not there. */
  readonly secret: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  /** Wall ms. */
  readonly now: number;
}

/** Why it is refused, with the status that says so; undefined: it is from whom it says. */
export function refusalOf(
  lock: HookLock | undefined,
  sent: Sent,
): { status: 401; error: string } | undefined {
  // Whether there is such a hook is not for strangers to know.
  const unknown = { status: 401, error: 'no hook of this id takes this secret or signature' } as const;
  if (lock === undefined) {
    same('', 'x');
    return unknown;
  }
  if ('hash' in lock) {
    const given = sent.secret ?? /^bearer +(\S+)$/i.exec(sent.headers.authorization ?? '')?.[1] ?? '';
    return same(hashOf(given), lock.hash) ? undefined : unknown;
  }
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = sent.headers;
  if (typeof id !== 'string' || typeof at !== 'string' || typeof signatures !== 'string')
    return {
      status: 401,
      error: 'sign the body: webhook-id, webhook-timestamp and webhook-signature are missing',
    };
  const expected = `v1,${signatureOf(sent.body, { id, at, signing: lock.signing })}`;
  // Several are sent while the sender changes its key.
  const signed = signatures
    .split(' ')
    .slice(0, 10)
    .map((signature) => same(signature, expected))
    .includes(true);
  if (!signed) return unknown;
  const off = Math.abs(sent.now - Number(at) * second);
  return off <= tolerance
    ? undefined
    : {
        status: 401,
        error: 'webhook-timestamp is more than 5 minutes off: it is late, a replay, or a clock is wrong',
      };
}

/** Longer is no id. */
const longestId = 200;

/** By what the same message is known when it comes again: the id its sender gave it, or else its words. */
export function messageKey({ headers, body }: Pick<Sent, 'headers' | 'body'>): {
  key: string;
  named: boolean;
} {
  const named = headers['webhook-id'] ?? headers['idempotency-key'];
  if (typeof named === 'string' && named !== '' && named.length <= longestId)
    return { key: `id:${hashOf(named)}`, named: true };
  return { key: `body:${createHash('sha256').update(body).digest('hex')}`, named: false };
}

/** A new secret, and what is kept of it. @param given the key of a sender that has one, `whsec_` and base64 */
export function newLock(
  signed: boolean,
  given?: string,
): { readonly secret: string; readonly lock: HookLock } {
  if (signed) {
    const signing = given ?? `${keyPrefix}${randomBytes(32).toString('base64')}`;
    return { secret: signing, lock: { signing } };
  }
  const secret = randomBytes(24).toString('base64url');
  return { secret, lock: { hash: hashOf(secret) } };
}

// It is 192 random bits: nothing is gained by making it slow.
const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** In constant time: both are first made equally long. */
function same(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
