import { z } from 'zod';
import { secret } from '../../runtime/secret.ts';
import { timeLimit } from '../../runtime/units.ts';

export const options = z.strictObject({
  token: secret.refine(
    (token) => /^\d+:[\w-]{30,}$/.test(token.reveal()),
    'give the token as @BotFather shows it, such as 110201543:AAHd…',
  ),
  /** URL of the Bot API; another one for a self-hosted Bot API server. */
  apiRoot: z
    .url({ protocol: /^https?$/, error: 'give an http or https URL' })
    .default('https://api.telegram.org')
    .transform((url) => url.replace(/\/+$/, '')),
  timeout: timeLimit.prefault('20s'),
  /** The webhook to which Telegram delivers updates. Absent: the bot fetches them. */
  webhook: z
    .strictObject({
      /** The URL at which Telegram reaches the webhook. */
      url: z.url({ protocol: /^https?$/, error: 'give an https URL' }),
      /** Where the bot listens for the webhook, behind a proxy that terminates TLS. */
      host: z.string().min(1).default('127.0.0.1'),
      port: z.int().min(0).max(65_535).default(8_443),
    })
    .optional(),
});
export type TelegramOptions = z.output<typeof options>;

/** The topic "General" of every group with topics. It has no thread: what is posted without one goes there. */
const generalTopic = 1;

export const address = z
  .strictObject({
    /** YAML reads a chat id, as Telegram shows it, as a number. */
    chatId: z.union([z.int().transform(String), z.string().regex(/^-?\d{1,20}$/, 'the id of a chat')]),
    threadId: z.int().positive().optional(),
  })
  .transform(({ chatId, threadId }) => ({
    chatId,
    ...(threadId !== undefined && threadId !== generalTopic && { threadId }),
  }));
