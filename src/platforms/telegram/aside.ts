import { DeliveryError } from '../../language/errors.ts';
import type { Clock } from '../../runtime/clock.ts';
import { hour } from '../../runtime/units.ts';
import { knowsNoTimes } from './failure.ts';

/** The one person in a group who is to see an answer (Bot API 10.2: ephemeral messages). */
export interface Aside {
  readonly userId: number;
  /**
   * Id of the button press that is answered. For 15 s after it, a bot that is not an administrator may send an ephemeral
   * message too.
   */
  readonly queryId?: string | undefined;
}

/** Returns the parameters of an ephemeral message, as in Bot API 10.2 and as in 10.3. Older servers show it to everyone. */
export function seenBy({ userId, queryId }: Aside): object {
  const by = { receiver_user_id: userId, ...(queryId !== undefined && { callback_query_id: queryId }) };
  return { ...by, ephemeral_message_parameters: by };
}

/** How long ephemeral messages are not tried again in a group where the bot may not send them. */
const remembered = hour;
const mostRemembered = 10_000;

/**
 * Creates a function that sends an ephemeral message if the bot may do so in the group, and otherwise a message for everyone:
 * an answer that everyone sees is better than none.
 */
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
