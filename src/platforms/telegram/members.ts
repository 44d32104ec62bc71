import { z } from 'zod';
import { DeliveryError, UserError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import type { WallClock } from '../../runtime/clock.ts';
import { createKept } from '../../runtime/kept.ts';
import { minute } from '../../runtime/units.ts';
import type { BotApi } from './bot-api.ts';
import { mayNotPost } from './own-membership.ts';

/** How long a user's membership is cached. It is short, so that a person who loses a right does not keep it here. */
const membershipLifetime = minute;
const maxRemembered = 10_000;

const member = z.looseObject({ status: z.string(), can_post_messages: z.boolean().optional() });
const chat = z.looseObject({ id: z.int(), type: z.string(), title: z.string().optional() });

export interface Members {
  /** Tells whether the user is an administrator of the chat; false if Telegram cannot say. */
  manages(chatId: string, userId: number): Promise<boolean>;
  /** Finds the channel or group of that name, in which the user and the bot must be administrators. @throws UserError */
  findManagedChat(name: string, userId: number): Promise<{ readonly chatId: string; readonly title: string }>;
}

export function createMembers(
  api: Pick<BotApi, 'call'>,
  { wall, botId, stopping }: { wall: WallClock; botId: number; stopping: AbortSignal },
): Members {
  const kept = createKept<boolean>({ holds: membershipLifetime, most: maxRemembered, clock: wall });

  const membership = (chatId: string, userId: number) =>
    api.call('getChatMember', {
      payload: { chat_id: chatId, user_id: userId },
      result: member,
      signal: stopping,
    });
  const isAdministrator = ({ status }: z.output<typeof member>) =>
    status === 'creator' || status === 'administrator';

  async function manages(chatId: string, userId: number): Promise<boolean> {
    const key = `${chatId}/${userId}`;
    const ask = async () => isAdministrator(await membership(chatId, userId));
    try {
      return await (kept.get(key) ?? kept.put(key, ask()));
    } catch (error) {
      if (error instanceof DeliveryError) return false;
      throw error;
    }
  }

  return {
    manages,
    async findManagedChat(name, userId) {
      const found = await api
        .call('getChat', { payload: { chat_id: name }, result: chat, signal: stopping })
        .catch((cause: unknown) => {
          if (!(cause instanceof DeliveryError)) throw cause;
          throw new UserError(
            msg(
              'Can’t find {name}: add the bot there as an administrator first, and give the name of its link.',
              { name },
            ),
            { cause },
          );
        });
      const chatId = String(found.id);
      // The words are the same whether the user or the bot is no administrator, so that users learn nothing about other chats.
      const refusal = new UserError(
        msg('{name} can be managed from here only by its administrators, once the bot is one too.', { name }),
      );
      if (found.type === 'private' || !(await manages(chatId, userId))) throw refusal;
      const bot = await membership(chatId, botId).catch(() => undefined);
      if (bot === undefined || !isAdministrator(bot)) throw refusal;
      if (found.type === 'channel' && bot.can_post_messages !== true) throw new UserError(mayNotPost(name));
      return { chatId, title: found.title ?? name };
    },
  };
}
