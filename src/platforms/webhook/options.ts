import { z } from 'zod';
import { secret } from '../../runtime/secret.ts';
import { timeLimit } from '../../runtime/units.ts';
import { httpUrl } from '../ask-http.ts';
import { addressRange } from '../public-agent.ts';

export const options = z.strictObject({
  secret: secret
    .refine((value) => value.reveal().length >= 16, 'give at least 16 characters')
    .describe(
      'turns webhooks on: at least 16 characters, from which the keys of the signatures of each post are derived',
    ),
  timeout: timeLimit.prefault('10s').describe('for one request'),
  allow: z
    .array(addressRange)
    .default([])
    .describe('private address ranges that webhooks may reach, e.g. 10.0.0.0/8'),
});
export type WebhookOptions = z.output<typeof options>;

export const address = z.strictObject({
  url: httpUrl.max(2_000).refine((text) => {
    const url = URL.parse(text);
    return url !== null && url.username === '' && url.password === '';
  }, 'give a URL without user name and password; the signature proves who sent it'),
});
