import { DeliveryError } from '../../language/errors.ts';
import type { Clock } from '../../runtime/clock.ts';
import { hour } from '../../runtime/units.ts';
import { knowsNoTimes } from './failure.ts';

/** One person in a group, whom alone an answer is for (Bot API 10.2: ephemeral messages). */
export interface Aside {
  readonly userId: number;
  /** The press that is answered: within 15 s of it a bot that is no administrator may say something aside too. */
  readonly queryId?: string | undefined;
}

/** What a message has for it: in the words of Bot API 10.2, and of 10.3. Older servers show it to everyone. */
export function seenBy({ userId, queryId }: Aside): object {
  const by = { receiver_user_id: userId, ...(queryId !== undefined && { callback_query_id: queryId }) };
  return { ...by, ephemeral_message_parameters: by };
}

/** How long it is not tried again in a group in which the bot may not. */
const remembered = hour;
const mostRemembered = 10_000;

/** Says something aside where that may be, and else to everyone: an answer that all see is better than none. */
export function createAsides(wall: Pick<Clock, 'now'>) {
  const refused = new Map<string, number>();

  return async <Result>(
    chatId: string,
    {
      aside,
      send,
    }: { readonly aside: Aside | undefined; readonly send: (aside: Aside | undefined) => Promise<Result> },
  ): Promise<Result> => {
    const hopeless = aside?.queryId === undefined && (refused.get(chatId) ?? 0) > wall.now();
    if (aside === undefined || hopeless) return send(undefined);
    try {
      return await send(aside);
    } catch (error) {
      const kind = error instanceof DeliveryError ? error.outcome.kind : undefined;
      if ((kind !== 'rejected' && kind !== 'barred') || knowsNoTimes(error)) throw error;
      if (aside.queryId === undefined) {
        refused.delete(chatId);
        refused.set(chatId, wall.now() + remembered);
        const [oldest] = refused.keys();
        if (refused.size > mostRemembered && oldest !== undefined) refused.delete(oldest);
      }
      return send(undefined);
    }
  };
}
