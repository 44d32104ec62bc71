import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { keyPrefix, signatureOf } from '../runtime/standard-webhooks.ts';
import { minute, second } from '../runtime/units.ts';

/**
 * How a sender proves its identity. If it sends a secret, only the hash of the secret is stored; if it signs, the key
 * itself is needed.
 */
export type HookLock = { readonly hash: string } | { readonly signing: string };

/** How far the time of a signature may be from this machine's time, as Standard Webhooks recommends. */
const tolerance = 5 * minute;

interface HookAuthRequest {
  /** From the path; undefined if the path has no secret. */
  readonly secret: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  /** Wall ms. */
  readonly now: number;
}

/** Returns why a request is refused, with the HTTP status; undefined if the sender has proved its identity. */
export function refusalOf(
  lock: HookLock | undefined,
  sent: HookAuthRequest,
): { status: 401; error: string } | undefined {
  // The response must not reveal to an outsider whether the hook exists.
  const refusal = { status: 401, error: 'no hook of this id takes this secret or signature' } as const;
  if (lock === undefined) {
    isSameText('', 'x');
    return refusal;
  }
  if ('hash' in lock) {
    const given = sent.secret ?? /^bearer +(\S+)$/i.exec(sent.headers.authorization ?? '')?.[1] ?? '';
    return isSameText(hashOf(given), lock.hash) ? undefined : refusal;
  }
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = sent.headers;
  if (typeof id !== 'string' || typeof at !== 'string' || typeof signatures !== 'string')
    return {
      status: 401,
      error: 'sign the body: webhook-id, webhook-timestamp and webhook-signature are missing',
    };
  const expected = `v1,${signatureOf(sent.body, { id, at, signing: lock.signing })}`;
  // A sender sends several signatures while it changes its key.
  const signed = signatures
    .split(' ')
    .slice(0, 10)
    .map((signature) => isSameText(signature, expected))
    .includes(true);
  if (!signed) return refusal;
  const clockDifference = Math.abs(sent.now - Number(at) * second);
  return clockDifference <= tolerance
    ? undefined
    : {
        status: 401,
        error: 'webhook-timestamp is more than 5 minutes off: it is late, a replay, or a clock is wrong',
      };
}

/** Returns the key by which a repeated message is recognised: the id that its sender gave it, or else its content. */
export function messageKey({ headers, body }: Pick<HookAuthRequest, 'headers' | 'body'>): {
  key: string;
  hasSenderId: boolean;
} {
  const senderId = headers['webhook-id'] ?? headers['idempotency-key'];
  if (typeof senderId === 'string' && senderId !== '')
    return { key: `id:${hashOf(senderId)}`, hasSenderId: true };
  return { key: `body:${createHash('sha256').update(body).digest('hex')}`, hasSenderId: false };
}

/**
 * Creates a secret and what is stored of it.
 * @param given the key of a sender that already has one, `whsec_` and base64
 */
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

// The secret has 192 random bits, so a slow hash would gain nothing.
const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Compares in constant time: both texts are hashed first, so that they have the same length. */
function isSameText(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
