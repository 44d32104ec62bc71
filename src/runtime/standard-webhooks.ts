import { createHmac } from 'node:crypto';

// Standard Webhooks 1.0.0 (standardwebhooks.com), of which both sides are here: what is sent, and what is taken.

/** Before the key in base64. */
export const keyPrefix = 'whsec_';

export interface Stamped {
  /** The same for every attempt at the same message. */
  readonly id: string;
  /** Unix seconds, as they are written. */
  readonly at: number | string;
  /** `whsec_` and the key in base64. */
  readonly signing: string;
}

/** What stands behind `v1,` in `webhook-signature`: base64. */
export function signatureOf(body: string | Uint8Array, { id, at, signing }: Stamped): string {
  const key = Buffer.from(signing.slice(keyPrefix.length), 'base64');
  return createHmac('sha256', key).update(`${id}.${at}.`).update(body).digest('base64');
}
