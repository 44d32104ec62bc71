import { z } from 'zod';
import { secret } from '../../runtime/secret.ts';
import { timeLimit } from '../../runtime/units.ts';
import { httpUrl, withoutEndSlash } from '../ask-http.ts';

export const options = z.strictObject({
  token: secret
    .refine(
      (token) => /^\d+:[\w-]{30,}$/.test(token.reveal()),
      'give the token as @BotFather shows it, such as 110201543:AAHd…',
    )
    .describe('turns Telegram on: a bot token from @BotFather'),
  apiRoot: httpUrl
    .default('https://api.telegram.org')
    .transform(withoutEndSlash)
    .describe('address of the Bot API, which you may host yourself'),
  timeout: timeLimit.prefault('20s').describe('for one request'),
  webhook: z
    .strictObject({
      url: z
        .url({ protocol: /^https?$/, error: 'give an https URL' })
        .describe('Telegram sends updates to this address instead of being asked for them'),
      host: z
        .string()
        .min(1)
        .default('127.0.0.1')
        .describe('where the bot listens for them, behind a proxy that terminates TLS'),
      port: z.int().min(0).max(65_535).default(8_443).describe('the port there'),
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
