import type { Receiver } from '../../alert/subscription.ts';
import type { Answer } from '../../card/card.ts';
import { DeliveryError } from '../../language/errors.ts';
import { english, languageOf } from '../../language/languages.ts';
import type { Text } from '../../language/text.ts';
import { second } from '../../runtime/units.ts';
import type { Caller } from '../../shell/command.ts';
import type { Ports } from '../ports.ts';
import { chatPauseOf, isAboutTopic, isMissing, isUnchanged, longestChatPause } from './failure.ts';
import type { Posting, TelegramMessages, TelegramPlace } from './messages.ts';
import { type Reference, readReference } from './reference.ts';

/** A message that has been posted. Whether it is a photo decides how it is edited. */
interface PostedMessage {
  readonly messageId: number;
  readonly isPhoto: boolean;
}

/** `keyboard` replaces that of the card's actions. */
type AnswerWithKeyboard = Answer<string> & Pick<Partial<Posting>, 'keyboard'>;

/**
 * Sends answers to people, at the same pace as alerts but before them. An answer that is completed later is replaced by the
 * complete one; callers do not wait for that.
 */
export interface Answers {
  post(place: TelegramPlace, answer: Answer<string>, posting?: Partial<Posting>): Promise<void>;
  /** Replaces a message by an answer; if the message no longer exists, posts the answer, as silently as an edit is. */
  rewrite(place: TelegramPlace, posted: PostedMessage, answer: AnswerWithKeyboard): Promise<void>;
  /** Puts a chat with all its topics on hold, because the bot may not post there. */
  holdChat(chatId: string, reason: Text): Promise<void>;
  /** Resumes a chat with all its topics, because the bot may post there again. */
  resumeChat(chatId: string): Promise<void>;
  /** Moves a group that became a supergroup. Groups have no topics: each of the group's receivers is the chat itself. */
  moveChat(from: string, to: string): Promise<void>;
}

const maxAttempts = 3;

export const receiverOf = ({ chatId, threadId }: TelegramPlace): Receiver => ({
  notifier: 'telegram',
  address: { chatId, ...(threadId !== undefined && { threadId }) },
});

/** Returns what Telegram tells about a user: their id and the language of their app. It tells no time zone, so UTC is used. */
export const callerDetails = (
  receiver: Receiver,
  user: { readonly id: number; readonly language_code?: string | undefined } | undefined,
): Pick<Caller, 'receiver' | 'person' | 'language' | 'timeZone' | 'slash'> => ({
  receiver,
  ...(user !== undefined && { person: `telegram:${user.id}` }),
  language: languageOf(user?.language_code ?? '') ?? english,
  timeZone: 'UTC',
  slash: true,
});

export function createAnswers(
  messages: TelegramMessages,
  { pace, places, wall, log }: Ports,
  stopping: AbortSignal,
): Answers {
  const receiversOf = (chatId: string) =>
    places.find({ notifier: 'telegram', field: 'chatId', value: chatId });
  /** Returns the receivers that an error concerns: those of the chat, or of the topic alone. */
  const affected = async ({ chatId, threadId }: TelegramPlace, error: DeliveryError) =>
    (await receiversOf(chatId)).filter(
      ({ address }) => !isAboutTopic(error) || address.threadId === threadId,
    );
  const holdChat = async (chatId: string, reason: Text) => places.suspend(await receiversOf(chatId), reason);
  const resumeChat = async (chatId: string) =>
    places.wake(await places.suspended({ notifier: 'telegram', field: 'chatId', value: chatId }));
  const moveChat = async (from: string, to: string) => {
    for (const receiver of await receiversOf(from)) await places.move(receiver, receiverOf({ chatId: to }));
  };

  /** Sends an answer, with retries, because a late answer is better than none. Returns undefined if it gives up. */
  async function sendWithRetries(
    place: TelegramPlace,
    send: (place: TelegramPlace) => Promise<Reference>,
  ): Promise<{ readonly place: TelegramPlace; readonly posted: PostedMessage } | undefined> {
    let to = place;
    for (let attempt = 1; ; attempt += 1) {
      await pace.take(to.chatId, { lane: 'answer', signal: stopping });
      try {
        const posted = readReference(await send(to));
        // Telegram has accepted the message, which proves that the bot may post there.
        await resumeChat(to.chatId);
        return { place: to, posted };
      } catch (error) {
        if (!(error instanceof DeliveryError)) throw error;
        const { outcome } = error;
        const pause = chatPauseOf(error);
        if (pause !== undefined) pace.block(to.chatId, pause);
        const isHopeless =
          outcome.kind === 'rejected' ||
          (outcome.kind === 'rate_limited' && outcome.retryAfter > longestChatPause) ||
          (outcome.kind === 'unavailable' && outcome.accepted === 'unknown');
        if (outcome.kind === 'gone')
          for (const receiver of await affected(to, error)) await places.end(receiver, error.text);
        if (outcome.kind === 'barred') await places.suspend(await affected(to, error), error.text);
        const isUnreachable = ['gone', 'missing', 'barred'].includes(outcome.kind);
        if (isUnreachable || isHopeless || attempt === maxAttempts) {
          log.warn({ err: error, chat: to.chatId }, 'could not deliver an answer to its chat');
          return undefined;
        }
        if (outcome.kind === 'moved') {
          const chatId = String(outcome.to.chatId);
          await moveChat(to.chatId, chatId);
          to = { chatId };
        } else if (outcome.kind === 'unavailable') await wall.sleep(attempt * second, stopping);
      }
    }
  }

  /** Replaces an answer that has been posted by its complete version, once that is ready. */
  const replaceWhenComplete = (
    sent: Awaited<ReturnType<typeof sendWithRetries>>,
    later: Answer<string>['later'],
  ): void => {
    if (sent === undefined) return;
    const { place, posted } = sent;
    later
      ?.then((complete) => complete && rewrite(place, posted, complete))
      .catch((error: unknown) => {
        if (!stopping.aborted) log.warn({ err: error, chat: place.chatId }, 'could not complete an answer');
      });
  };

  const post = async (
    place: TelegramPlace,
    answer: Answer<string>,
    posting: Partial<Posting> = {},
  ): Promise<void> => {
    const { later, ...card } = answer;
    const silent = false;
    // An answer that is completed later has to be edited, so it is not sent as an ephemeral message.
    const audience = later !== undefined && { ephemeralFor: undefined };
    replaceWhenComplete(
      await sendWithRetries(place, (to) =>
        messages.post(to, { card, posting: { silent, ...posting, ...audience }, signal: stopping }),
      ),
      later,
    );
  };

  const rewrite = async (
    place: TelegramPlace,
    { messageId, isPhoto }: PostedMessage,
    { keyboard, ...answer }: AnswerWithKeyboard,
  ): Promise<void> => {
    const { later, ...card } = answer;
    const reference = `${isPhoto ? 'p' : ''}${messageId}`;
    let missing = false;
    const sent = await sendWithRetries(place, async (to) => {
      try {
        return await messages.rewrite(to, { reference, card, keyboard, signal: stopping });
      } catch (error) {
        missing = isMissing(error);
        if (!missing && !isUnchanged(error)) throw error;
        return reference;
      }
    });
    if (missing) await post(place, answer, { keyboard, silent: true });
    else replaceWhenComplete(sent, later);
  };

  return { post, rewrite, holdChat, resumeChat, moveChat };
}
