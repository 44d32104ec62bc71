import { z } from 'zod';
import { secret } from '../../runtime/secret.ts';
import { timeLimit } from '../../runtime/units.ts';
import { httpUrl, withoutEndSlash } from '../ask-http.ts';

export const options = z.strictObject({
  url: httpUrl
    .refine(
      (text) =>
        ['username', 'password', 'search', 'hash'].every((part) => !URL.parse(text)?.[part as 'hash']),
      'give a URL without user, password and query: platforms.apprise.user and password are for those',
    )
    .meta({
      description:
        'turns Apprise on: the address of your own Apprise API server, with its path behind a proxy',
      examples: ['http://127.0.0.1:8000'],
    })
    .transform(withoutEndSlash),
  user: z.string().min(1).nullable().default(null).describe('if the server requires a login'),
  password: secret.nullable().default(null).describe('of that login'),
  timeout: timeLimit
    .prefault('30s')
    .describe('for all services behind the server: it answers after all of them have'),
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
