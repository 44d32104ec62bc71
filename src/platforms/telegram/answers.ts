import type { Logger } from 'pino';
import type { Receiver } from '../../alert/subscription.ts';
import type { Answer } from '../../card/card.ts';
import { DeliveryError } from '../../language/errors.ts';
import type { Text } from '../../language/text.ts';
import type { Pace } from '../../pace/pace.ts';
import type { WallClock } from '../../runtime/clock.ts';
import { minute, second } from '../../runtime/units.ts';
import type { Places } from '../ports.ts';
import { isMissing, isUnchanged } from './failure.ts';
import type { Posting, TelegramMessages, TelegramPlace } from './messages.ts';
import { type Reference, readReference } from './reference.ts';

/** A message as it stands: whether it shows a picture decides how it is edited. */
export interface Shown {
  readonly messageId: number;
  readonly isPhoto: boolean;
}

/** What a person is told, and in its place what completes it, for which nobody waits; at the pace that alerts have too, but before them. */
export interface Answers {
  post(
    place: TelegramPlace,
    given: { readonly answer: Answer<string>; readonly posting?: Partial<Posting> | undefined },
  ): Promise<void>;
  /** In place of the message; below it where that is gone. */
  rewrite(
    place: TelegramPlace,
    given: {
      readonly shown: Shown;
      readonly answer: Answer<string>;
      readonly keyboard?: Posting['keyboard'] | undefined;
    },
  ): Promise<void>;
  /** The bot may not post in the chat, with all its topics. */
  barred(chatId: string, reason: Text): Promise<void>;
  /** It may again. */
  back(chatId: string): Promise<void>;
  /** A group became a supergroup. Groups have no topics: each of its receivers is the chat itself. */
  moved(from: string, to: string): Promise<void>;
}

export interface AnswersOptions {
  readonly messages: TelegramMessages;
  readonly pace: Pace;
  readonly places: Pick<Places, 'find' | 'end' | 'move' | 'rest' | 'resting' | 'wake'>;
  readonly wall: WallClock;
  readonly stopping: AbortSignal;
  readonly log: Logger;
}

const attempts = 3;
/** Nobody waits longer for an answer. */
const patience = minute;

export const receiverOf = ({ chatId, threadId }: TelegramPlace): Receiver => ({
  notifier: 'telegram',
  address: { chatId, ...(threadId !== undefined && { threadId }) },
});

export function createAnswers(options: AnswersOptions): Answers {
  const { messages, pace, places, wall, stopping, log } = options;

  const receiversOf = (chatId: string) =>
    places.find({ notifier: 'telegram', field: 'chatId', value: chatId });
  const ended = async (chatId: string, reason: Text) => {
    for (const receiver of await receiversOf(chatId)) await places.end(receiver, reason);
  };
  const barred = async (chatId: string, reason: Text) => places.rest(await receiversOf(chatId), reason);
  const back = async (chatId: string) =>
    places.wake(await places.resting({ notifier: 'telegram', field: 'chatId', value: chatId }));
  const moved = async (from: string, to: string) => {
    for (const receiver of await receiversOf(from)) await places.move(receiver, receiverOf({ chatId: to }));
  };

  /** Tries again what a person would rather have late than not at all; undefined where it is given up. */
  async function persist(
    place: TelegramPlace,
    send: (place: TelegramPlace) => Promise<Reference>,
  ): Promise<{ readonly place: TelegramPlace; readonly shown: Shown } | undefined> {
    let to = place;
    for (let attempt = 1; ; attempt += 1) {
      await pace.take(to.chatId, { lane: 'answer', signal: stopping });
      try {
        const shown = readReference(await send(to));
        // That it was taken is the proof.
        await back(to.chatId);
        return { place: to, shown };
      } catch (error) {
        if (!(error instanceof DeliveryError)) throw error;
        const { outcome } = error;
        // An alert to the chat waits for its turn too, which must not outlast its claim: later it is told 429 itself.
        if (outcome.kind === 'rate_limited') pace.block(to.chatId, Math.min(outcome.retryAfter, patience));
        const hopeless =
          outcome.kind === 'rejected' ||
          (outcome.kind === 'rate_limited' && outcome.retryAfter > patience) ||
          (outcome.kind === 'unavailable' && outcome.accepted === 'unknown');
        if (outcome.kind === 'gone') await ended(to.chatId, error.text);
        if (outcome.kind === 'barred') await barred(to.chatId, error.text);
        const unreachable = ['gone', 'missing', 'barred'].includes(outcome.kind);
        if (unreachable || hopeless || attempt === attempts) {
          log.warn({ err: error, chat: to.chatId }, 'could not deliver an answer to its chat');
          return undefined;
        }
        if (outcome.kind === 'moved') {
          const chatId = String(outcome.to.chatId);
          await moved(to.chatId, chatId);
          to = { chatId };
        } else if (outcome.kind === 'unavailable') await wall.sleep(attempt * second, stopping);
      }
    }
  }

  /** Shows what completes the answer where it stands. */
  const follow = (standing: Awaited<ReturnType<typeof persist>>, later: Answer<string>['later']): void => {
    if (standing === undefined) return;
    const { place, shown } = standing;
    later
      ?.then((whole) => whole && rewrite(place, { shown, answer: whole }))
      .catch((error: unknown) => {
        if (!stopping.aborted) log.warn({ err: error, chat: place.chatId }, 'could not complete an answer');
      });
  };

  const post = async (
    place: TelegramPlace,
    {
      answer,
      posting = {},
    }: { readonly answer: Answer<string>; readonly posting?: Partial<Posting> | undefined },
  ): Promise<void> => {
    const { later, ...card } = answer;
    const silent = false;
    // What is completed later is edited, which one may have missed who alone was told.
    const seen = later !== undefined && { aside: undefined };
    follow(
      await persist(place, (to) =>
        messages.post(to, { card, posting: { silent, ...posting, ...seen }, signal: stopping }),
      ),
      later,
    );
  };

  const rewrite = async (
    place: TelegramPlace,
    {
      shown,
      answer,
      keyboard,
    }: {
      readonly shown: Shown;
      readonly answer: Answer<string>;
      readonly keyboard?: Posting['keyboard'] | undefined;
    },
  ): Promise<void> => {
    const { messageId, isPhoto } = shown;
    const { later, ...card } = answer;
    const reference = `${isPhoto ? 'p' : ''}${messageId}`;
    let missing = false;
    const standing = await persist(place, async (to) => {
      try {
        return await messages.rewrite(to, { reference, card, keyboard, signal: stopping });
      } catch (error) {
        missing = isMissing(error);
        if (!missing && !isUnchanged(error)) throw error;
        return reference;
      }
    });
    if (missing) await post(place, { answer, posting: { keyboard } });
    else follow(standing, later);
  };

  return {
    post,
    rewrite,
    barred,
    back,
    moved,
  };
}
