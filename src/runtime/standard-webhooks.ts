import { createHmac } from 'node:crypto';

// Standard Webhooks 1.0.0 (standardwebhooks.com). The bot uses it both to sign the webhooks that it sends and to check
// those that it receives.

/** Prefix of a signing key; the key itself follows in base64. */
export const keyPrefix = 'whsec_';

interface SignedMessage {
  /** The message's id, the same for every attempt to send it. */
  readonly id: string;
  /** Unix seconds, as they are written in the header. */
  readonly at: number | string;
  /** The signing key: `whsec_` and the key in base64. */
  readonly signing: string;
}

/** Returns the signature in base64, which follows `v1,` in the header `webhook-signature`. */
export function signatureOf(body: string | Uint8Array, { id, at, signing }: SignedMessage): string {
  const key = Buffer.from(signing.slice(keyPrefix.length), 'base64');
  return createHmac('sha256', key).update(`${id}.${at}.`).update(body).digest('base64');
}
