import type { Update } from 'telegraf/types';
import { z } from 'zod';
import { createTurns } from '../../runtime/turns.ts';
import type { Whereabouts } from '../platform.ts';
import type { Places } from '../ports.ts';
import { isPresent, mayNotPost, mayPost } from './own-membership.ts';

/** How many chats are kept, those met last. */
const most = 50;

const known = z.array(z.object({ id: z.string(), name: z.string(), isBarred: z.boolean().default(false) }));

/**
 * Keeps the chats in which the bot was met last, since Telegram lists none: those that it was added to, whether or not it may
 * post there, and those in which somebody pressed Start.
 */
export function createKnownChats(places: Pick<Places, 'recall' | 'remember'>, botId: string) {
  const setting = `telegram chats of ${botId}`;
  const read = async () => {
    const text = await places.recall(setting);
    return text === undefined ? [] : known.parse(JSON.parse(text));
  };
  // Changes run one after the other, because each reads what the one before wrote.
  const inTurn = createTurns<string>();
  const change = (chat: z.output<typeof known>[number], isHere: boolean): Promise<void> =>
    inTurn(setting, async () => {
      const before = await read();
      const others = before.filter(({ id }) => id !== chat.id);
      const after = isHere ? [chat, ...others].slice(0, most) : others;
      const text = JSON.stringify(after);
      if (text !== JSON.stringify(before)) await places.remember(setting, text);
    });
  return {
    async read(): Promise<Whereabouts> {
      const chats = Map.groupBy(await read(), ({ isBarred }) => isBarred);
      return {
        places: (chats.get(false) ?? []).map(({ id, name }) => ({ name, address: { chatId: id } })),
        barred: chats.get(true)?.map(({ name }) => mayNotPost(name)),
      };
    },
    async follow(update: Update): Promise<void> {
      const found = metIn(update);
      if (found !== undefined) await change(found.chat, found.isHere);
    },
  };
}

/** Returns the chat in which the update shows that the bot is, or no longer is. */
function metIn(update: Update) {
  if ('my_chat_member' in update) {
    const { chat, new_chat_member: bot } = update.my_chat_member;
    return {
      chat: { id: String(chat.id), name: nameOf(chat), isBarred: !mayPost(bot) },
      isHere: isPresent(bot.status),
    };
  }
  if (!('message' in update) || !('text' in update.message)) return undefined;
  if (!/^\/start\b/i.test(update.message.text)) return undefined;
  const { chat } = update.message;
  return { chat: { id: String(chat.id), name: nameOf(chat), isBarred: false }, isHere: true };
}

const nameOf = (chat: {
  readonly title?: string;
  readonly username?: string;
  readonly first_name?: string;
  readonly id: number;
}): string =>
  chat.title ?? chat.first_name ?? (chat.username === undefined ? String(chat.id) : `@${chat.username}`);
