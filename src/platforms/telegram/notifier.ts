import { z } from 'zod';
import type { Connection } from '../notifier.ts';
import type { NotifierPorts } from '../ports.ts';
import { createBotApi } from './bot-api.ts';
import { chatPauseOf, isMissing, isUnchanged } from './failure.ts';
import { createMessages } from './messages.ts';
import { address, type TelegramOptions } from './options.ts';
import { isSameMessage, readIn, readReference, referenceIn } from './reference.ts';
import { createSignIn } from './sign-in.ts';

/**
 * Sends to Telegram chats, by their ids, and to topics in them. Exactly-once delivery is not possible: the Bot API has no
 * idempotency key, so a message that got no response is sent again.
 */
export function openNotifier(options: TelegramOptions, ports: NotifierPorts): Connection {
  const { pace, log, wall } = ports;
  const api = createBotApi(options, ports);
  const messages = createMessages(api, ports);

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
    signIn: createSignIn(options, { api, wall }),
    close: api.close,
  };
}
