import { z } from 'zod';
import { secret } from '../../runtime/secret.ts';
import { duration } from '../../runtime/units.ts';

export const options = z.strictObject({
  /** Of an Apprise API server, with the path that it has behind a proxy. */
  url: z
    .url({ protocol: /^https?$/, error: 'give an http or https URL' })
    .refine(
      (text) =>
        ['username', 'password', 'search', 'hash'].every((part) => !URL.parse(text)?.[part as 'hash']),
      'give a URL without user, password and query: platforms.apprise.user and password are for those',
    ),
  user: z.string().min(1).nullable().default(null),
  password: secret.nullable().default(null),
  /** It answers once all services behind it have. */
  timeout: duration.prefault('30s'),
});
export type AppriseOptions = z.output<typeof options>;

/** The key of a configuration that the server keeps, and which of its services are meant: all where no tag is given. */
export const address = z.strictObject({
  key: z.string().regex(/^[\w-]{1,128}$/),
  tag: z
    .string()
    .max(200)
    .regex(/^[a-z0-9_-]+([ ,]+[a-z0-9_-]+)*$/i)
    .exactOptional(),
});
