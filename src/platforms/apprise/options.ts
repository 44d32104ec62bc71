import { z } from 'zod';
import { secret } from '../../runtime/secret.ts';
import { timeLimit } from '../../runtime/units.ts';

export const options = z.strictObject({
  /** URL of an Apprise API server, including its path behind a proxy. */
  url: z
    .url({ protocol: /^https?$/, error: 'give an http or https URL' })
    .refine(
      (text) =>
        ['username', 'password', 'search', 'hash'].every((part) => !URL.parse(text)?.[part as 'hash']),
      'give a URL without user, password and query: platforms.apprise.user and password are for those',
    ),
  user: z.string().min(1).nullable().default(null),
  password: secret.nullable().default(null),
  /** The timeout covers all services behind the server: it responds after all of them have. */
  timeout: timeLimit.prefault('30s'),
});
export type AppriseOptions = z.output<typeof options>;

/** Key of a configuration stored on the server, and a tag that selects some of its services; without a tag, all of them. */
export const address = z.strictObject({
  key: z.string().regex(/^[\w-]{1,128}$/),
  tag: z
    .string()
    .max(200)
    .regex(/^[a-z0-9_-]+([ ,]+[a-z0-9_-]+)*$/i)
    .exactOptional(),
});
