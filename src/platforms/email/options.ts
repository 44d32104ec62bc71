import { z } from 'zod';
import { secret } from '../../runtime/secret.ts';
import { timeLimit } from '../../runtime/units.ts';

/** A mail address, with or without a name before it: `Tocsin <alerts@example.org>`. */
const mailbox = z
  .string()
  .regex(/^(?:[^<>"\r\n]*<)?[^\s<>@]+@[^\s<>@]+>?$/, 'give an address such as Tocsin <alerts@example.org>');

export const options = z.strictObject({
  host: z.string().min(1),
  port: z.int().min(1).max(65_535).default(587),
  user: z.string().min(1).nullable().default(null),
  password: secret.nullable().default(null),
  /** The sender that receivers see. */
  from: mailbox,
  /**
   * `start`: the connection must become encrypted (STARTTLS), or nothing is sent; `always`: it is encrypted from its
   * beginning, as on port 465.
   */
  tls: z.enum(['start', 'always', 'never']).default('start'),
  timeout: timeLimit.prefault('30s'),
});
export type EmailOptions = z.output<typeof options>;

export const address = z.strictObject({ to: z.email().max(254) });
