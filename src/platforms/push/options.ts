import { ECDH } from 'node:crypto';
import { z } from 'zod';
import { timeLimit } from '../../runtime/units.ts';
import { addressRange } from '../public-agent.ts';

/** The push services of Chrome and all that is made of it, Firefox, Edge and Safari. */
const browsersServices = [
  'fcm.googleapis.com',
  'push.services.mozilla.com',
  'notify.windows.com',
  'push.apple.com',
];

export const options = z.strictObject({
  services: z
    .array(z.string().min(1))
    .default(browsersServices)
    .describe('hosts of the push services that browsers may name, with the hosts below them'),
  timeout: timeLimit.prefault('10s').describe('for one request'),
  allow: z
    .array(addressRange)
    .default([])
    .describe('private address ranges in which a push service may be, e.g. 10.0.0.0/8'),
});
export type PushOptions = z.output<typeof options>;

/** A text in base64url of so many bytes. */
const bytes = (length: number) =>
  z.base64url().refine((text) => Buffer.from(text, 'base64url').length === length, `give ${length} bytes`);

const isPoint = (text: string): boolean => {
  try {
    ECDH.convertKey(text, 'prime256v1', 'base64url');
    return true;
  } catch {
    return false;
  }
};

/** A browser's subscription (W3C Push API §8): where to post, and the keys that posts to it are encrypted for. */
export const address = z.strictObject({
  endpoint: z
    .url({ protocol: /^https$/ })
    .max(1_000)
    .refine((text) => {
      const url = URL.parse(text);
      return url !== null && url.username === '' && url.password === '';
    }),
  p256dh: bytes(65).refine(isPoint, 'give a point of P-256'),
  auth: bytes(16),
  /** The origin of the page where the browser subscribed: whom its push service may turn to. Absent: it has no name. */
  site: z
    .url({ protocol: /^https$/ })
    .max(200)
    .optional(),
});
