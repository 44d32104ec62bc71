import type { Telegraf } from 'telegraf';
import { channelPost, message } from 'telegraf/filters';
import type { CallbackQuery, Chat, Message, User } from 'telegraf/types';
import { z } from 'zod';
import { type Press, readCallbackData } from '../../card/callback-data.ts';
import type { Card } from '../../card/card.ts';
import { plainLine } from '../../card/plain.ts';
import { sayCard } from '../../card/say-card.ts';
import { fieldsOf } from '../../command/fields.ts';
import type { Caller, Command } from '../../commands/command.ts';
import { say } from '../../language/say.ts';
import { msg } from '../../language/text.ts';
import { DeliveryError, UserError } from '../../runtime/errors.ts';
import type { BotApi } from '../../telegram/bot-api.ts';
import type { Place } from '../../telegram/messages.ts';
import type { PlatformPorts } from '../platform.ts';
import { type Answers, receiverOf } from './answers.ts';
import { hint } from './hint.ts';
import { answerInline } from './inline.ts';
import { lead, needsLeading } from './lead.ts';
import { joined, type Line, readDeepLink, readLine, readTarget } from './line.ts';
import { follow } from './membership.ts';
import type { Rights } from './rights.ts';
import { welcome } from './welcome.ts';

export interface ConversationOptions {
  readonly ports: PlatformPorts;
  readonly api: Pick<BotApi, 'call'>;
  readonly answers: Answers;
  readonly rights: Rights;
  readonly username: string;
  readonly stopping: AbortSignal;
}

/** Where something was asked, and by whom. */
interface Asked {
  readonly place: Place;
  readonly isPrivate: boolean;
  /** Absent where a channel itself speaks. */
  readonly user: Pick<User, 'id' | 'username' | 'first_name' | 'language_code'> | undefined;
  readonly manages: boolean;
  readonly replyTo?: number;
}

/** Markets offered under an answer that could have been about one. */
const marketsOffered = 4;

/** Hears what is said to the bot, and answers. */
export function converse(bot: Telegraf, options: ConversationOptions): void {
  const { answers } = options;

  bot.on('my_chat_member', (ctx) => follow(ctx.myChatMember, options));
  bot.on(message('migrate_to_chat_id'), (ctx) =>
    answers.moved(String(ctx.chat.id), String(ctx.message.migrate_to_chat_id)),
  );
  bot.on(message('text'), async (ctx) => {
    // Bots do not talk to bots; administrators who stay anonymous speak through one.
    const anonymous = ctx.message.sender_chat !== undefined;
    if (ctx.from.is_bot && !anonymous) return;
    await heard(ctx.message, ctx.message.text, anonymous ? undefined : ctx.from, options);
  });
  bot.on(channelPost('text'), (ctx) => heard(ctx.channelPost, ctx.channelPost.text, undefined, options));
  bot.on('callback_query', (ctx) => pressed(ctx.callbackQuery, options));
  bot.on('inline_query', (ctx) => answerInline(ctx.inlineQuery, options));
}

async function heard(
  said: Pick<
    Message.TextMessage,
    'message_id' | 'chat' | 'message_thread_id' | 'is_topic_message' | 'sender_chat'
  > & {
    readonly chat: Chat;
  },
  text: string,
  user: User | undefined,
  options: ConversationOptions,
): Promise<void> {
  const { chat } = said;
  const isPrivate = chat.type === 'private';
  const line = readLine(text, { username: options.username, isPrivate });
  if (line === undefined) return;
  // Other bots' commands are theirs to answer.
  if (
    !isPrivate &&
    !line.addressed &&
    commandOf(line.command, options) === undefined &&
    line.command !== 'start'
  ) {
    return;
  }
  const place = placeOf(chat.id, said);
  const speaksForChat = said.sender_chat?.id === chat.id || chat.type === 'channel';
  const manages =
    isPrivate ||
    speaksForChat ||
    (user !== undefined && (await options.rights.manages(place.chatId, user.id)));
  const asked = { place, isPrivate, user, manages, ...(!isPrivate && { replyTo: said.message_id }) };
  await answer(line, asked, options);
}

async function answer(line: Line, asked: Asked, options: ConversationOptions): Promise<void> {
  const { answers, ports } = options;
  const { place, replyTo } = asked;
  const greeting = async () => sayCard(welcome, await ports.reader(callerOf(asked)));
  if (line.command === 'start') {
    const linked = readDeepLink(line.rest);
    if (linked === undefined) return answers.post(place, await greeting(), { replyTo });
    const command = commandOf(linked.command, options);
    // A link may subscribe and ask, and change nothing else: whoever follows it has not read what it does.
    if (command !== undefined && (command.settings !== true || command.name === 'subscribe')) {
      return answers.post(place, await run(joined(command.name, linked.rest), asked, options), { replyTo });
    }
    return answers.post(place, await greeting(), { replyTo });
  }
  const command = commandOf(line.command, options);
  if (
    command !== undefined &&
    line.rest === '' &&
    (asked.manages || command.settings !== true) &&
    needsLeading(command)
  ) {
    const leading = await lead(command, { step: 0, line: command.name }, callerOf(asked), ports);
    if (leading !== undefined) {
      return answers.post(place, leading.card, { replyTo, keyboard: leading.keyboard });
    }
  }
  const card = await run(joined(line.command, line.rest), asked, options);
  const more = command === undefined || line.rest !== '' ? card : withMarkets(card, command, ports);
  await answers.post(place, more, { replyTo });
}

const callerOf = ({ place, user, manages }: Asked): Caller => ({
  ...hint(receiverOf(place), user),
  user: user === undefined ? 'an administrator' : nameOf(user),
  manages,
});

/** Asks the bot, about this chat or about the one that is named in private. */
async function run(line: string, asked: Asked, options: ConversationOptions): Promise<Card<string>> {
  const [, name = line, rest = ''] = /^(\S+)\s+([\s\S]*)$/.exec(line) ?? [];
  const caller = callerOf(asked);
  const aimed = readTarget(rest);
  if (!asked.isPrivate || asked.user === undefined || aimed === undefined) {
    return options.ports.ask(line, caller);
  }
  try {
    const { chatId, title } = await options.rights.target(aimed.target, asked.user.id);
    const receiver = receiverOf({ chatId });
    const there = { ...caller, manages: true, receiver, answeredElsewhere: true };
    const card = await options.ports.ask(joined(name, aimed.rest), there);
    return {
      ...card,
      title: `${title}: ${card.title}`,
      ...(card.actions !== undefined && {
        actions: card.actions.map((action) => ({
          ...action,
          command: action.command.replace(/^\S+/, (first) => `${first} ${aimed.target}`),
        })),
      }),
    };
  } catch (error) {
    if (error instanceof UserError) {
      const refused = { title: msg('That cannot be done'), summary: error.text };
      return sayCard(refused, await options.ports.reader(caller));
    }
    throw error;
  }
}

async function pressed(query: CallbackQuery, options: ConversationOptions): Promise<void> {
  const { answers, ports, rights } = options;
  const press = 'data' in query ? readCallbackData(query.data) : undefined;
  const { message: shown } = query;
  if (press === undefined || shown === undefined) return acknowledge(query, '', options);
  const { chat } = shown;
  const place = placeOf(chat.id, shown);
  const isPrivate = chat.type === 'private';
  const command = commandOf(press.line.split(/\s/, 1)[0] ?? '', options);
  const manages = isPrivate || (await rights.manages(place.chatId, query.from.id));
  const asked: Asked = { place, isPrivate, user: query.from, manages };
  if (command?.settings === true && !manages) {
    const reader = await ports.reader(callerOf(asked));
    return acknowledge(query, say(msg('Only administrators of this chat may do that.'), reader), options);
  }
  await acknowledge(query, '', options);
  const leading = await leadingTo(press, command, callerOf(asked), ports);
  if (leading !== undefined) {
    await answers.rewrite(place, reference(shown), leading.card, leading.keyboard);
    return;
  }
  const card = await run(press.line, asked, options);
  if (press.act === 'run') await answers.post(place, card, { replyTo: shown.message_id });
  else await answers.rewrite(place, reference(shown), card);
}

const leadingTo = async (press: Press, command: Command | undefined, caller: Caller, ports: PlatformPorts) =>
  press.act === 'lead' && command !== undefined ? lead(command, press, caller, ports) : undefined;

const reference = (shown: NonNullable<CallbackQuery['message']>) => ({
  messageId: shown.message_id,
  isPhoto: 'photo' in shown,
});

/** Stops the button's spinner; with a text, says why nothing happens. */
async function acknowledge(
  query: CallbackQuery,
  text: string,
  { api, stopping, ports }: ConversationOptions,
) {
  const payload = { callback_query_id: query.id, ...(text !== '' && { text, show_alert: true }) };
  try {
    await api.call('answerCallbackQuery', payload, { result: z.unknown(), signal: stopping });
  } catch (error) {
    // Too old, or pressed before the bot was restarted: what was asked is done all the same.
    if (!(error instanceof DeliveryError)) throw error;
    ports.log.debug({ err: error }, 'a button press was not acknowledged');
  }
}

const commandOf = (name: string, { ports }: ConversationOptions): Command | undefined =>
  ports.commands.find((command) => command.name === name.toLowerCase());

/** Topics have an id of their own; in other groups a thread is a mere chain of replies. */
const placeOf = (
  chatId: number,
  said: { readonly message_thread_id?: number; readonly is_topic_message?: boolean } | object,
): Place => {
  const { message_thread_id: threadId, is_topic_message: isTopic } = said as {
    message_thread_id?: number;
    is_topic_message?: boolean;
  };
  return { chatId: String(chatId), ...(isTopic === true && threadId !== undefined && { threadId }) };
};

const nameOf = ({ username, first_name }: Pick<User, 'username' | 'first_name'>): string =>
  username === undefined ? plainLine(first_name).slice(0, 64) || 'somebody' : `@${username}`;

/** An answer that could have been about one market offers some. */
function withMarkets(card: Card<string>, command: Command, { universe }: PlatformPorts): Card<string> {
  const takesMarket = fieldsOf(command).some(({ names, list }) => names === 'symbol' && !list);
  if (!takesMarket || command.settings === true) return card;
  const actions = universe()
    .slice(0, marketsOffered)
    .map((symbol) => ({ label: symbol, command: `${command.name} ${symbol}` }));
  return { ...card, actions: [...(card.actions ?? []), ...actions] };
}
