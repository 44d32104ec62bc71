import { z } from 'zod';
import { secret } from '../../runtime/secret.ts';
import { timeLimit } from '../../runtime/units.ts';
import { addressRange } from './public-agent.ts';

export const options = z.strictObject({
  /** At least 16 characters. The keys with which receivers check signatures are derived from it. */
  secret: secret.refine((value) => value.reveal().length >= 16, 'give at least 16 characters'),
  timeout: timeLimit.prefault('10s'),
  /** Private address ranges that may be reached nevertheless. */
  allow: z.array(addressRange).default([]),
});
export type WebhookOptions = z.output<typeof options>;

export const address = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'give an http or https URL' })
    .max(2_000)
    .refine((text) => {
      const url = URL.parse(text);
      return url !== null && url.username === '' && url.password === '';
    }, 'give a URL without user name and password; the signature proves who sent it'),
});
