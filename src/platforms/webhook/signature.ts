import { createHmac } from 'node:crypto';
import type { Secret } from '../../runtime/secret.ts';
import { keyPrefix, signatureOf } from '../../runtime/standard-webhooks.ts';

/** Of one URL, made from the operator's: who knows one cannot sign for another. As libraries of Standard Webhooks take it. */
export const signingSecret = (secret: Secret, url: string): string =>
  `${keyPrefix}${createHmac('sha256', secret.reveal()).update(url).digest('base64')}`;

/**
 * Headers by Standard Webhooks (standardwebhooks.com, 1.0.0): the id is the same for every attempt at the same message, and
 * is what a receiver drops repetitions by.
 * @param signing `whsec_` and the key in base64
 * @param at Unix seconds
 */
export function signed(
  body: string,
  { id, at, signing }: { readonly id: string; readonly at: number; readonly signing: string },
): Readonly<Record<string, string>> {
  const signature = signatureOf(body, { id, at, signing });
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature}` };
}
