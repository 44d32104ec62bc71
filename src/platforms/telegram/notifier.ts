import { z } from 'zod';
import type { Draw } from '../../card/picture.ts';
import { plainReader, say } from '../../language/say.ts';
import type { Text } from '../../language/text.ts';
import type { Clock } from '../../runtime/clock.ts';
import { secret } from '../../runtime/secret.ts';
import { duration, minute, second } from '../../runtime/units.ts';
import { defineNotifier } from '../notifier.ts';
import { createBotApi } from './bot-api.ts';
import { isMissing, isUnchanged } from './failure.ts';
import { createMessages } from './messages.ts';
import { readReference } from './reference.ts';

export interface TelegramPorts {
  readonly image?: Draw;
  /** Wall time. */
  readonly clock: Clock;
  /** Of this token, shared with whatever else sends with it. */
  readonly pace: {
    delayed(begun: number, reached: number): void;
    take(address: string, lane: 'edit', signal: AbortSignal): Promise<void>;
  };
  /** The token is not accepted: nothing is sent until a restart. */
  refused?(reason: Text): void;
  readonly log: {
    error(context: object, message: string): void;
    debug(context: object, message: string): void;
  };
}

const options = z.strictObject({
  token: secret.refine(
    (token) => /^\d+:[\w-]{30,}$/.test(token.reveal()),
    'a token as @BotFather gives it is expected, such as 110201543:AAHd…',
  ),
  /** Another one for a Bot API server of one's own. */
  apiRoot: z
    .url({ protocol: /^https?$/, error: 'an http or https URL is expected' })
    .default('https://api.telegram.org')
    .transform((url) => url.replace(/\/+$/, '')),
  timeout: duration.prefault('20s'),
  /** Read by the platform: where updates are brought instead of being fetched. */
  webhook: z
    .strictObject({
      /** As Telegram reaches it. */
      url: z.url({ protocol: /^https?$/, error: 'an https URL is expected' }),
      /** Where the bot listens for it, behind a proxy that ends TLS. */
      host: z.string().min(1).default('127.0.0.1'),
      port: z.int().min(0).max(65_535).default(8_443),
    })
    .optional(),
});
export type TelegramOptions = z.output<typeof options>;

const address = z.strictObject({
  chatId: z.string().regex(/^-?\d{1,20}$/, 'the id of a chat'),
  threadId: z.int().positive().optional(),
});

/** Also a channel: ids of people alone are positive. */
const isGroup = (chatId: string): boolean => chatId.startsWith('-');

/**
 * Sends to Telegram chats, by their ids, and topics in them. Exactly once is not to be had: the Bot API knows no
 * idempotency key, so what got no answer is sent again.
 */
export default defineNotifier({
  name: 'telegram',
  options,
  address,
  limits: {
    // 30 a second and 1 a second to a chat, a little slower: Telegram counts arrivals, and what is held up on its way
    // comes closer to what follows. Spread over the second, so that an answer waits for a tenth of it and not for all.
    total: [
      { per: 1.02 * second, max: 30 },
      { per: 0.1 * second, max: 3 },
    ],
    perAddress: [
      // A person's chat takes three at once before it comes down to one a second.
      { per: 3.3 * second, max: 3, only: (chatId) => !isGroup(chatId) },
      { per: 1.1 * second, max: 1, only: isGroup },
      // Who asks there without end leaves an alert that comes half of the minute.
      { per: 1.01 * minute, max: 20, answers: 10, only: isGroup },
    ],
    // The limits are a chat's, whatever the topic; its edits count too.
    sharedBy: ({ chatId }) => String(chatId),
    // More than may be on the way, so that a claim's transaction is shared by many.
    concurrency: 192,
  },
  connect({ token, apiRoot, timeout }, { image, clock, pace, log, refused }: TelegramPorts) {
    const api = createBotApi({
      token,
      apiRoot,
      timeout,
      clock,
      delayed: pace.delayed,
      onRefused(reason) {
        log.error({ notifier: 'telegram' }, say(reason, plainReader));
        refused?.(reason);
      },
    });
    const messages = createMessages(api, image);

    return {
      async send({ card, loud, replyTo }, to, signal) {
        const place = address.parse(to);
        const answered = replyTo !== undefined && { replyTo: readReference(replyTo).messageId };
        const reference = await messages.post(place, card, { silent: !loud, ...answered }, signal);
        const turn = () => pace.take(place.chatId, 'edit', signal);
        // The message stands, whatever becomes of its details.
        await messages.explain(place, reference, card, turn, signal).catch((error: unknown) => {
          log.debug({ err: error, chat: place.chatId }, 'the details of a group could not be sent');
        });
        return reference;
      },
      async edit(reference, { card, onlyEdit }, to, signal) {
        const place = address.parse(to);
        try {
          return await messages.rewrite(place, reference, card, undefined, signal);
        } catch (error) {
          if (isUnchanged(error) || (onlyEdit && isMissing(error))) return reference;
          if (!isMissing(error)) throw error;
          return await messages.post(place, card, { silent: true }, signal);
        }
      },
      // Only messages of supergroups and channels have addresses (their chat ids begin with -100).
      link(reference, { chatId, threadId }) {
        const id = /^-100(\d+)$/.exec(String(chatId))?.[1];
        const path = [id, threadId, readReference(reference).messageId].filter((part) => part !== undefined);
        return id === undefined ? undefined : `https://t.me/c/${path.join('/')}`;
      },
      close: api.close,
    };
  },
});
