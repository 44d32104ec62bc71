import { z } from 'zod';
import { secret } from '../../runtime/secret.ts';
import { timeLimit } from '../../runtime/units.ts';
import { httpUrl } from '../ask-http.ts';

export const options = z.strictObject({
  url: httpUrl
    .default('https://ntfy.sh')
    .describe('turns ntfy on, notifications on phones by topic: its server, or your own'),
  token: secret.nullable().default(null).describe('if the server requires one'),
  timeout: timeLimit.prefault('10s').describe('for one request'),
});
export type NtfyOptions = z.output<typeof options>;

/** A topic, in the form that ntfy's server accepts. Anyone who knows a topic can read it, and may write to it. */
export const address = z.strictObject({ topic: z.string().regex(/^[-_A-Za-z0-9]{1,64}$/) });
