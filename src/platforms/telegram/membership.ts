import type { ChatMemberUpdated } from 'telegraf/types';
import { plainLine } from '../../card/plain.ts';
import type { Answers } from './answers.ts';
import { channelWelcome, welcome } from './welcome.ts';

const present = (status: string): boolean =>
  status === 'member' || status === 'administrator' || status === 'restricted';

/** The bot was added somewhere, or thrown out. */
export async function follow(
  { chat, from, old_chat_member: before, new_chat_member: after }: ChatMemberUpdated,
  { answers }: { readonly answers: Answers },
): Promise<void> {
  const chatId = String(chat.id);
  if (!present(after.status)) return answers.ended(chatId);
  // In private somebody unblocked the bot: they are about to say what they want.
  if (present(before.status) || chat.type === 'private') return;
  if (chat.type !== 'channel') return answers.post({ chatId }, welcome);
  const target = 'username' in chat && chat.username !== undefined ? `@${chat.username}` : chatId;
  await answers.post({ chatId: String(from.id) }, channelWelcome(plainLine(chat.title), target));
}
