import { createHmac } from 'node:crypto';
import type { Secret } from '../../runtime/secret.ts';
import { keyPrefix, signatureOf } from '../../runtime/standard-webhooks.ts';

/**
 * Returns the signing key of one URL, in the form that libraries of Standard Webhooks take. It is derived from the
 * operator's secret, so that the holder of one key cannot sign for another URL.
 */
export const signingSecret = (secret: Secret, url: string): string =>
  `${keyPrefix}${createHmac('sha256', secret.reveal()).update(url).digest('base64')}`;

/**
 * Returns the headers of Standard Webhooks (standardwebhooks.com, 1.0.0). The id is the same for every attempt at the
 * same message; receivers recognise repetitions by it.
 * @param signing `whsec_` and the key in base64
 * @param at Unix seconds
 */
export function signatureHeaders(
  body: string,
  { id, at, signing }: { readonly id: string; readonly at: number; readonly signing: string },
): Readonly<Record<string, string>> {
  const signature = signatureOf(body, { id, at, signing });
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature}` };
}
