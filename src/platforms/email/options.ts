import { z } from 'zod';
import { secret } from '../../runtime/secret.ts';
import { timeLimit } from '../../runtime/units.ts';

/** A mail address, with or without a name before it: `Tocsin <alerts@example.org>`. */
const mailbox = z
  .string()
  .regex(/^(?:[^<>"\r\n]*<)?[^\s<>@]+@[^\s<>@]+>?$/, 'give an address such as Tocsin <alerts@example.org>');

export const options = z.strictObject({
  host: z
    .string()
    .min(1)
    .meta({
      description: 'turns email on: the server that sends it',
      examples: ['smtp.example.org'],
    }),
  port: z.int().min(1).max(65_535).default(587).describe('465 needs tls: always'),
  user: z.string().min(1).nullable().default(null).describe('if the server requires a login'),
  password: secret.nullable().default(null).describe('of that login'),
  from: mailbox.meta({
    description: 'the sender that receivers see',
    examples: ['Tocsin <alerts@example.org>'],
  }),
  tls: z
    .enum(['start', 'always', 'never'])
    .default('start')
    .describe('start: STARTTLS, without which nothing is sent; always: TLS at once, as on port 465; never'),
  timeout: timeLimit.prefault('30s').describe('for one mail'),
});
export type EmailOptions = z.output<typeof options>;

export const address = z.strictObject({ to: z.email().max(254) });
