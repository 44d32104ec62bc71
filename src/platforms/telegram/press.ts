import type { CallbackQuery } from 'telegraf/types';
import { z } from 'zod';
import { DeliveryError } from '../../language/errors.ts';
import { say } from '../../language/say.ts';
import { msg, type Text } from '../../language/text.ts';
import { isQuestion, managerRights, memberRights } from '../../shell/rights.ts';
import { callerDetails, receiverOf } from './answers.ts';
import { readCallbackData } from './callback-data.ts';
import { isTooOld } from './failure.ts';
import { nextInputQuestion } from './input-questions.ts';
import {
  type ConversationOptions,
  callerOf,
  commandOf,
  mayChange,
  placeOf,
  type QuestionOrigin,
  run,
} from './run-question.ts';
import { cutText } from './text-pieces.ts';

/** Maximum length, in code points, of a notice to the person who pressed a button (Bot API: answerCallbackQuery). */
const maxNotice = 200;

/** Handles the press of a button under one of the bot's messages. */
export async function handlePress(query: CallbackQuery, options: ConversationOptions): Promise<void> {
  const { answers, ports, members } = options;
  const { message } = query;
  // For a message sent by inline mode the bot has no chat to answer in. It puts no buttons under such messages.
  if (!('data' in query) || message === undefined)
    return void (await acknowledge(query, { ...options, text: '' }));
  const { chat } = message;
  const place = placeOf(chat.id, message);
  const posted = { messageId: message.message_id, isPhoto: 'photo' in message };
  const isPrivate = chat.type === 'private';
  const refuse = async (why: Text) => {
    const reader = await ports.reader(callerDetails(receiverOf(place), query.from));
    await acknowledge(query, { ...options, text: say(why, reader) });
  };
  const press = hasButton(message, query.data) ? readCallbackData(query.data, textsIn(message)) : undefined;
  if (press === undefined)
    return refuse(msg('This button no longer does anything: type the command instead.'));
  const command = commandOf(press.line.split(/\s/, 1)[0] ?? '', options);
  const isManager = isPrivate || (await members.manages(place.chatId, query.from.id));
  const origin: QuestionOrigin = {
    place,
    isPrivate,
    user: query.from,
    rights: isManager ? managerRights : memberRights,
  };
  // An answer in a channel is a post to all its readers.
  if (!isManager && chat.type === 'channel')
    return refuse(
      msg('Only administrators of this channel may use its buttons. Ask the bot in a private chat.'),
    );
  if (!isManager && command?.takes === 'manage')
    return refuse(msg('Only administrators of this chat may do that.'));
  // Whether the user may do this depends on the command's inputs. A refusal is shown to this user only.
  const earlyAnswer =
    !isManager && command !== undefined && !isQuestion(command) && press.act !== 'lead'
      ? await run(press.line, { origin, options })
      : undefined;
  if (earlyAnswer?.forAsker === true) {
    return void (await acknowledge(query, {
      ...options,
      text: earlyAnswer.summary ?? earlyAnswer.title,
    }));
  }
  const inTime = await acknowledge(query, { ...options, text: '' });
  if (!inTime && command !== undefined && !mayChange(command.name, options)) return;
  const question =
    press.act === 'lead' && command !== undefined
      ? await nextInputQuestion(command, { ...press, ...ports, caller: callerOf(origin) })
      : undefined;
  if (question !== undefined) {
    const { card, keyboard } = question;
    return answers.rewrite(place, posted, { ...card, keyboard });
  }
  const card = earlyAnswer ?? (await run(press.line, { origin, options }));
  if (press.act === 'run' && (card.panel !== true || message.message_id === 0)) {
    const inGroup = chat.type === 'group' || chat.type === 'supergroup';
    // An ephemeral message has the id 0 and cannot be replied to.
    const replyTo = message.message_id === 0 ? undefined : message.message_id;
    const ephemeralFor = inGroup ? { userId: query.from.id, queryId: query.id } : undefined;
    await answers.post(place, card, { replyTo, ephemeralFor });
  } else await answers.rewrite(place, posted, card);
}

/**
 * Tells whether the message has a button with this data: a client can send any data. False if Telegram no longer shows the
 * message to the bot.
 */
const hasButton = (message: NonNullable<CallbackQuery['message']>, data: string): boolean =>
  'reply_markup' in message &&
  (message.reply_markup?.inline_keyboard ?? [])
    .flat()
    .some((button) => 'callback_data' in button && button.callback_data === data);

/** Returns the lines of everything in a message, whether it is a text, a caption or rich. */
const textsIn = (part: unknown): string[] =>
  typeof part === 'string' ? part.split('\n') : Object.values(part ?? {}).flatMap(textsIn);

/** Stops the button's spinner; with a text, says why nothing happens. Returns false if the press is too old for Telegram. */
async function acknowledge(
  query: CallbackQuery,
  { text, api, stopping, ports }: { readonly text: string } & ConversationOptions,
): Promise<boolean> {
  const notice = text !== '' && { text: cutText(text, maxNotice), show_alert: true };
  const payload = { callback_query_id: query.id, ...notice };
  try {
    await api.call('answerCallbackQuery', { payload, result: z.unknown(), signal: stopping });
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    ports.log.debug({ err: error }, 'could not acknowledge a button press');
    return !isTooOld(error);
  }
  return true;
}
