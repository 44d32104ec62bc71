import type { ChatMember, ChatMemberUpdated } from 'telegraf/types';
import type { Card } from '../../card/card.ts';
import { plainLine } from '../../card/plain.ts';
import { sayCard } from '../../card/say-card.ts';
import { msg } from '../../language/text.ts';
import { callerDetails, receiverOf } from './answers.ts';
import type { ConversationOptions } from './run-question.ts';
import { channelWelcome, welcome } from './welcome.ts';

export const isPresent = (status: string): boolean =>
  status === 'member' || status === 'administrator' || status === 'restricted';

/** Whether the bot may post, as far as its membership tells: Telegram names the right of an administrator in channels only. */
export const mayPost = (member: ChatMember): boolean =>
  member.status === 'restricted'
    ? member.can_send_messages
    : member.status !== 'administrator' || member.can_post_messages !== false;

export const mayNotPost = (name: string) =>
  msg('In {name} the bot may not post: give it the right "Post messages".', { name });

/** Handles a change of the bot's own membership: it was added to a chat, removed from it or blocked. */
export async function handleMembership(
  { chat, from, old_chat_member: before, new_chat_member: after }: ChatMemberUpdated,
  { answers, ports }: ConversationOptions,
): Promise<void> {
  const chatId = String(chat.id);
  const greet = async (to: string, card: Card) =>
    answers.post(
      { chatId: to },
      sayCard(card, await ports.reader(callerDetails(receiverOf({ chatId: to }), from))),
    );
  if (!isPresent(after.status))
    return answers.holdChat(chatId, msg('Telegram: the bot was blocked there or removed'));
  if (!mayPost(after)) return;
  await answers.resumeChat(chatId);
  // In a private chat a person has just started or unblocked the bot, and is about to say what they want.
  if (isPresent(before.status) || chat.type === 'private') return;
  if (chat.type !== 'channel') return greet(chatId, welcome);
  const target = 'username' in chat && chat.username !== undefined ? `@${chat.username}` : chatId;
  await greet(String(from.id), channelWelcome(plainLine(chat.title), target));
}
