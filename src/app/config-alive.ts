import { z } from 'zod';
import { secret } from '../runtime/secret.ts';
import { duration } from '../runtime/units.ts';
import { httpUrl } from './config-live.ts';

/** A place to post to, by the words of its platform. */
export const receiver = z.strictObject({
  notifier: z.string().min(1),
  address: z.record(z.string(), z.union([z.string(), z.number()])),
});

/** How those who watch over the bot are told that it works. */
export const aliveSettings = z.strictObject({
  url: httpUrl.pipe(secret).nullable(),
  every: duration,
  line: receiver.nullable(),
});
