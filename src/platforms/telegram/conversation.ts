import type { Telegraf } from 'telegraf';
import { channelPost, message } from 'telegraf/filters';
import type { Chat, Message, User } from 'telegraf/types';
import { z } from 'zod';
import type { Answer } from '../../card/card.ts';
import { sayCard } from '../../card/say-card.ts';
import { minute, second } from '../../runtime/units.ts';
import { type AttachedFile, largestFile } from '../../shell/attached.ts';
import type { Command } from '../../shell/command.ts';
import { fieldsOf, marketsFor } from '../../shell/fields.ts';
import { manager, mayGive, member } from '../../shell/rights.ts';
import {
  type Asked,
  type ConversationOptions,
  callerOf,
  commandOf,
  mayChange,
  placeOf,
  run,
} from './asking.ts';
import { inlineAnswers } from './inline.ts';
import { lead, needsLeading } from './lead.ts';
import { joined, type Line, readDeepLink, readLine } from './line.ts';
import { follow } from './membership.ts';
import type { TalkPorts } from './ports.ts';
import { pressed } from './press.ts';
import { welcome } from './welcome.ts';

/** Number of markets offered under an answer that could have been about a single market. */
const marketsOffered = 4;

/** Registers the handlers for everything that is said to the bot. */
export function converse(bot: Telegraf, options: ConversationOptions): void {
  const { answers } = options;
  const answerInline = inlineAnswers(options);

  bot.on('my_chat_member', (ctx) => follow(ctx.myChatMember, options));
  bot.on(message('migrate_to_chat_id'), (ctx) =>
    answers.moved(String(ctx.chat.id), String(ctx.message.migrate_to_chat_id)),
  );
  bot.on(message('text'), async (ctx) => {
    // Messages of other bots are ignored. Administrators who stay anonymous also appear as a bot, but with a sender chat.
    const anonymous = ctx.message.sender_chat !== undefined;
    if (ctx.from.is_bot && !anonymous) return;
    await heard(ctx.message, { text: ctx.message.text, user: anonymous ? undefined : ctx.from, options });
  });
  bot.on(message('document'), async (ctx) => {
    const { caption = '', from, sender_chat: chat } = ctx.message;
    if (from.is_bot && chat === undefined) return;
    await heard(ctx.message, {
      text: caption || fileLine(ctx.chat.type),
      user: chat === undefined ? from : undefined,
      options,
    });
  });
  bot.on(channelPost('text'), (ctx) =>
    heard(ctx.channelPost, { text: ctx.channelPost.text, user: undefined, options }),
  );
  bot.on('callback_query', (ctx) => pressed(ctx.callbackQuery, options));
  bot.on('inline_query', (ctx) => answerInline(ctx.inlineQuery));
}

/** Returns the line for a file that is sent without a text: in a private chat, the only command that can be meant. */
const fileLine = (chat: Chat['type']): string => (chat === 'private' ? 'import' : '');

const sent = z.object({ document: z.object({ file_id: z.string(), file_size: z.int().default(0) }) });

/** Returns the file that a message contains or replies to. */
function fileOf(
  said: { readonly reply_to_message?: unknown },
  { api }: ConversationOptions,
): AttachedFile | undefined {
  const { document } = sent.safeParse(said).data ?? sent.safeParse(said.reply_to_message).data ?? {};
  return (
    document && {
      size: document.file_size,
      read: (signal) => api.fetch(document.file_id, { most: largestFile, signal }),
    }
  );
}

/** Questions older than this are ignored: nobody waits for the answer. Commands that change something are run however late. */
const patience = 5 * minute;

const isLate = ({ date }: Pick<Message, 'date'>, { ports }: ConversationOptions): boolean =>
  ports.wall.now() - date * second > patience;

async function heard(
  said: Pick<
    Message.TextMessage,
    'message_id' | 'date' | 'chat' | 'message_thread_id' | 'is_topic_message' | 'sender_chat'
  > & {
    readonly chat: Chat;
    readonly reply_to_message?: unknown;
  },
  {
    text,
    user,
    options,
  }: { readonly text: string; readonly user: User | undefined; readonly options: ConversationOptions },
): Promise<void> {
  const { chat } = said;
  const isPrivate = chat.type === 'private';
  const line = readLine(text, { username: options.username, isPrivate });
  if (line === undefined) return;
  if (isLate(said, options) && !mayChange(line.command, options)) {
    return options.ports.log.debug({ command: line.command }, 'ignored a question asked too long ago');
  }
  // In a group, other names of the bot's commands may be commands of another bot, so without the bot's name they are ignored.
  if (
    !isPrivate &&
    !line.addressed &&
    options.ports.commands.every(({ name }) => name !== line.command.toLowerCase()) &&
    line.command !== 'start'
  ) {
    return;
  }
  const place = placeOf(chat.id, said);
  const speaksForChat = said.sender_chat?.id === chat.id || chat.type === 'channel';
  const manages =
    isPrivate ||
    speaksForChat ||
    (user !== undefined && (await options.members.manages(place.chatId, user.id)));
  const command = commandOf(line.command, options);
  const takesFile = command !== undefined && fieldsOf(command).some(({ as }) => as === 'file');
  const asked = {
    place,
    isPrivate,
    user,
    rights: manages ? manager : member,
    ...(!isPrivate && { replyTo: said.message_id }),
    file: takesFile ? fileOf(said, options) : undefined,
  };
  await answer(line, { asked, options });
}

async function answer(
  line: Line,
  { asked, options }: { readonly asked: Asked; readonly options: ConversationOptions },
): Promise<void> {
  const { answers, ports } = options;
  const { place, replyTo } = asked;
  const greeting = async () => sayCard(welcome, await ports.reader(callerOf(asked)));
  if (line.command === 'start') {
    const linked = readDeepLink(line.rest);
    const card =
      linked === undefined
        ? await greeting()
        : await run(joined(linked.command, linked.rest), { asked, options });
    return answers.post(place, { answer: card, posting: { replyTo } });
  }
  const command = commandOf(line.command, options);
  if (
    command !== undefined &&
    line.rest === '' &&
    asked.file === undefined &&
    mayGive(command, asked) &&
    needsLeading(command)
  ) {
    const leading = await lead(command, { ...ports, step: 0, line: command.name, caller: callerOf(asked) });
    if (leading !== undefined) {
      return answers.post(place, { answer: leading.card, posting: { replyTo, keyboard: leading.keyboard } });
    }
  }
  const card = await run(joined(line.command, line.rest), { asked, options });
  const more = command === undefined || line.rest !== '' ? card : withMarkets(card, { ...ports, command });
  // An error message is for the asker only.
  const aside =
    !asked.isPrivate && asked.user !== undefined && more.forAsker === true
      ? { userId: asked.user.id }
      : undefined;
  await answers.post(place, { answer: more, posting: { replyTo, aside } });
}

/** Adds some markets, as actions, to an answer that could have been about a single market. */
function withMarkets(
  card: Answer<string>,
  { command, universe }: { readonly command: Command } & TalkPorts,
): Answer<string> {
  const field = fieldsOf(command).find(({ names, list }) => names === 'symbol' && !list);
  if (field === undefined || command.takes === 'manage') return card;
  const actions = marketsFor(field, universe())
    .slice(0, marketsOffered)
    .map((symbol) => ({ label: symbol, command: `${command.name} ${symbol}` }));
  return { ...card, actions: [...(card.actions ?? []), ...actions] };
}
