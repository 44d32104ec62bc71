import type { Telegraf } from 'telegraf';
import { channelPost, message } from 'telegraf/filters';
import type { Chat, Message, User } from 'telegraf/types';
import { z } from 'zod';
import type { Answer } from '../../card/card.ts';
import { sayCard } from '../../card/say-card.ts';
import { minute, second } from '../../runtime/units.ts';
import { type AttachedFile, maxFileSize } from '../../shell/attached-file.ts';
import type { Command } from '../../shell/command.ts';
import { fieldsOf, marketsFor } from '../../shell/fields.ts';
import { managerRights, mayRun, memberRights } from '../../shell/rights.ts';
import type { Ports } from '../ports.ts';
import { createInlineHandler } from './inline.ts';
import { asksForInputs, nextInputQuestion } from './input-questions.ts';
import { handleMembership } from './own-membership.ts';
import { handlePress } from './press.ts';
import { isStart, joined, type Line, readDeepLink, readLine } from './read-line.ts';
import {
  type ConversationOptions,
  callerOf,
  commandOf,
  mayChange,
  placeOf,
  type QuestionOrigin,
  run,
} from './run-question.ts';
import { keysCard, keysIn, welcome } from './welcome.ts';

/** Number of markets offered under an answer that could have been about a single market. */
const maxMarkets = 4;

/** Registers the handlers for everything that is said to the bot. */
export function registerHandlers(bot: Telegraf, options: ConversationOptions): void {
  const { answers } = options;
  const answerInline = createInlineHandler(options);

  bot.on('my_chat_member', (ctx) => handleMembership(ctx.myChatMember, options));
  bot.on(message('migrate_to_chat_id'), (ctx) =>
    answers.moveChat(String(ctx.chat.id), String(ctx.message.migrate_to_chat_id)),
  );
  bot.on(message('forum_topic_reopened'), (ctx) => answers.resumeChat(String(ctx.chat.id)));
  bot.on(message('text'), async (ctx) => {
    // Messages of other bots are ignored. Administrators who stay anonymous also appear as a bot, but with a sender chat.
    const anonymous = ctx.message.sender_chat !== undefined;
    if (ctx.from.is_bot && !anonymous) return;
    const user = anonymous ? undefined : ctx.from;
    await handleMessage(ctx.message, { text: ctx.message.text, user, options });
  });
  bot.on(message('document'), async (ctx) => {
    const { caption = '', from, sender_chat: chat } = ctx.message;
    if (from.is_bot && chat === undefined) return;
    const user = chat === undefined ? from : undefined;
    await handleMessage(ctx.message, { text: caption || fileLine(ctx.chat.type), user, options });
  });
  bot.on(channelPost('text'), (ctx) =>
    handleMessage(ctx.channelPost, { text: ctx.channelPost.text, user: undefined, options }),
  );
  bot.on('callback_query', (ctx) => handlePress(ctx.callbackQuery, options));
  bot.on('inline_query', (ctx) => answerInline(ctx.inlineQuery));
}

/** Returns the line for a file that is sent without a text: in a private chat, the only command that can be meant. */
const fileLine = (chat: Chat['type']): string => (chat === 'private' ? 'import' : '');

const messageWithFile = z.object({
  document: z.object({ file_id: z.string(), file_size: z.int().default(0) }),
});

/** Returns the file that a message contains or replies to. */
function fileOf(
  received: { readonly reply_to_message?: unknown },
  { api }: ConversationOptions,
): AttachedFile | undefined {
  const { document } =
    messageWithFile.safeParse(received).data ??
    messageWithFile.safeParse(received.reply_to_message).data ??
    {};
  return (
    document && {
      size: document.file_size,
      read: (signal) => api.fetch(document.file_id, { maxBytes: maxFileSize, signal }),
    }
  );
}

/** Questions older than this are ignored: nobody waits for the answer. Commands that change something are run however late. */
const maxQuestionAge = 5 * minute;

const isLate = ({ date }: Pick<Message, 'date'>, { api }: ConversationOptions): boolean =>
  api.now() - date * second > maxQuestionAge;

async function handleMessage(
  received: Pick<
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
  const { chat } = received;
  const isPrivate = chat.type === 'private';
  const line = readLine(text, { username: options.username, isPrivate });
  if (line === undefined) return;
  if (isLate(received, options) && !mayChange(line.command, options))
    return options.ports.log.debug({ command: line.command }, 'ignored a question asked too long ago');
  // In a group, other names of the bot's commands may be commands of another bot, so without the bot's name they are ignored.
  if (
    !isPrivate &&
    !line.namesBot &&
    options.ports.commands.every(({ name }) => name !== line.command.toLowerCase()) &&
    !isStart(line.command)
  )
    return;
  const place = placeOf(chat.id, received);
  const speaksForChat = received.sender_chat?.id === chat.id || chat.type === 'channel';
  const isManager =
    isPrivate ||
    speaksForChat ||
    (user !== undefined && (await options.members.manages(place.chatId, user.id)));
  const command = commandOf(line.command, options);
  const takesFile = command !== undefined && fieldsOf(command).some(({ as }) => as === 'file');
  const origin = {
    place,
    isPrivate,
    user,
    rights: isManager ? managerRights : memberRights,
    ...(!isPrivate && { replyTo: received.message_id }),
    file: takesFile ? fileOf(received, options) : undefined,
  };
  await answerLine(line, { origin, options });
}

async function answerLine(
  line: Line,
  { origin, options }: { readonly origin: QuestionOrigin; readonly options: ConversationOptions },
): Promise<void> {
  const { answers, ports } = options;
  const { place, replyTo } = origin;
  const greeting = async () => sayCard(welcome, await ports.reader(callerOf(origin)));
  if (isStart(line.command)) {
    const linked = readDeepLink(line.rest);
    const card =
      linked === undefined
        ? await greeting()
        : await run(joined(linked.command, linked.rest), { origin, options });
    await answers.post(place, card, { replyTo });
    if (!origin.isPrivate || line.rest !== '') return;
    const reader = await ports.reader(callerOf(origin));
    return answers.post(place, sayCard(keysCard, reader), { keys: keysIn(reader.language), silent: true });
  }
  const command = commandOf(line.command, options);
  if (
    command !== undefined &&
    line.rest === '' &&
    origin.file === undefined &&
    mayRun(command, origin) &&
    asksForInputs(command)
  ) {
    const question = await nextInputQuestion(command, {
      ...ports,
      step: 0,
      line: command.name,
      caller: callerOf(origin),
    });
    if (question !== undefined)
      return answers.post(place, question.card, { replyTo, keyboard: question.keyboard });
  }
  const card = await run(joined(line.command, line.rest), { origin, options });
  const fullAnswer =
    command === undefined || line.rest !== '' ? card : withMarkets(card, { ...ports, command });
  // An error message is for the asker only.
  const ephemeralFor =
    !origin.isPrivate && origin.user !== undefined && fullAnswer.forAsker === true
      ? { userId: origin.user.id }
      : undefined;
  await answers.post(place, fullAnswer, { replyTo, ephemeralFor });
}

/** Adds some markets, as actions, to an answer that could have been about a single market. */
function withMarkets(
  card: Answer<string>,
  { command, universe }: { readonly command: Command } & Ports,
): Answer<string> {
  const field = fieldsOf(command).find(({ names, list }) => names === 'symbol' && !list);
  if (field === undefined || command.takes === 'manage') return card;
  const actions = marketsFor(field, universe())
    .slice(0, maxMarkets)
    .map((symbol) => ({ label: symbol, command: `${command.name} ${symbol}` }));
  return { ...card, actions: [...(card.actions ?? []), ...actions] };
}
