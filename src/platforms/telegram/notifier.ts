import { z } from 'zod';
import { plainReader, say } from '../../language/say.ts';
import type { Connection } from '../notifier.ts';
import type { NotifierPorts } from '../ports.ts';
import { createBotApi } from './bot-api.ts';
import { chatPauseOf, isMissing, isUnchanged } from './failure.ts';
import { createMessages } from './messages.ts';
import { address, type TelegramOptions } from './options.ts';
import { isSameMessage, readIn, readReference, referenceIn } from './reference.ts';
import { createSignIn } from './sign-in.ts';

type TelegramNotifierOptions = Pick<TelegramOptions, 'token' | 'apiRoot' | 'timeout'>;

export interface TelegramNotifierPorts
  extends Pick<NotifierPorts, 'image' | 'steady' | 'reportTokenRefused' | 'reportTokenAccepted'> {
  readonly wall: Pick<NotifierPorts['wall'], 'now'>;
  /** The pace of this token, shared with everything else that sends with it. */
  readonly pace: Pick<NotifierPorts['pace'], 'reportDelay' | 'take' | 'block'>;
  readonly log: {
    error(context: object, message: string): void;
    warn(context: object, message: string): void;
    debug(context: object, message: string): void;
  };
}

/**
 * Sends to Telegram chats, by their ids, and to topics in them. Exactly-once delivery is not possible: the Bot API has no
 * idempotency key, so a message that got no response is sent again.
 */
export function openNotifier(
  { token, apiRoot, timeout }: TelegramNotifierOptions,
  { image, steady, pace, log, reportTokenRefused, reportTokenAccepted, wall }: TelegramNotifierPorts,
): Connection {
  const api = createBotApi({
    token,
    apiRoot,
    timeout,
    clock: steady,
    reportDelay: pace.reportDelay,
    reportTokenRefused(reason) {
      log.error({ notifier: 'telegram' }, say(reason, plainReader));
      reportTokenRefused(reason);
    },
    reportTokenAccepted,
  });
  const messages = createMessages(api, { image, wall, log });

  /** Holds up the chat with all its topics, and answers in it too, for as long as Telegram asks. */
  const holdChat = (chatId: string) => (error: unknown) => {
    const pause = chatPauseOf(error);
    if (pause !== undefined) pace.block(chatId, pause);
    throw error;
  };

  return {
    async send({ card, loud, replyTo }, { address: to, signal }) {
      const place = address.parse(to);
      const earlier = replyTo === undefined ? undefined : readIn(place.chatId, replyTo);
      const reply = earlier !== undefined && { replyTo: readReference(earlier).messageId };
      const posting = { silent: !loud, ...reply };
      const reference = await messages.post(place, { card, posting, signal }).catch(holdChat(place.chatId));
      const takeTurn = () => pace.take(place.chatId, { lane: 'edit', signal });
      // The message has been sent, even if its details cannot be.
      await messages.postOverflow(place, { reference, card, takeTurn, signal }).catch((error: unknown) => {
        log.debug({ err: error, chat: place.chatId }, 'could not send the details of a grouped alert');
      });
      return referenceIn(place.chatId, reference);
    },
    async edit(stored, { notification: { card }, address: to, signal }) {
      const place = address.parse(to);
      const reference = readIn(place.chatId, stored);
      if (reference === undefined) return null;
      try {
        const edited = await messages.rewrite(place, { reference, card, keyboard: undefined, signal });
        return edited === reference ? stored : referenceIn(place.chatId, edited);
      } catch (error) {
        if (isUnchanged(error)) return stored;
        if (isMissing(error)) return null;
        return holdChat(place.chatId)(error);
      }
    },
    isSameMessage,
    async pin(stored, { address: to, signal }) {
      const { chatId } = address.parse(to);
      const reference = readIn(chatId, stored);
      if (reference === undefined) return;
      const { messageId } = readReference(reference);
      const payload = { chat_id: chatId, message_id: messageId, disable_notification: true };
      await api.call('pinChatMessage', { payload, result: z.unknown(), signal }).catch(holdChat(chatId));
    },
    // Only messages of supergroups and channels have links (their chat ids begin with -100).
    link(stored, { chatId, threadId }) {
      const id = /^-100(\d+)$/.exec(String(chatId))?.[1];
      const reference = readIn(String(chatId), stored);
      if (id === undefined || reference === undefined) return undefined;
      const path = [id, threadId, readReference(reference).messageId].filter((part) => part !== undefined);
      return `https://t.me/c/${path.join('/')}`;
    },
    signIn: createSignIn({ token, api, wall, timeout }),
    close: api.close,
  };
}
