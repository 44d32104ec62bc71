import { DeliveryError } from '../../language/errors.ts';
import type { Clock } from '../../runtime/clock.ts';
import { RecentMap } from '../../runtime/recent-map.ts';
import { hour } from '../../runtime/units.ts';
import { knowsNoTimes } from './failure.ts';

/** The one person in a group who is to see an answer (Bot API 10.2: ephemeral messages). */
export interface EphemeralTarget {
  readonly userId: number;
  /**
   * Id of the button press that is answered. For 15 s after it, a bot that is not an administrator may send an ephemeral
   * message too.
   */
  readonly queryId?: string | undefined;
}

/** Returns the parameters of an ephemeral message, as in Bot API 10.2 and as in 10.3. Older servers show it to everyone. */
export function ephemeralParameters({ userId, queryId }: EphemeralTarget): object {
  const by = { receiver_user_id: userId, callback_query_id: queryId };
  return { ...by, ephemeral_message_parameters: by };
}

/** How long ephemeral messages are not tried again in a group where the bot may not send them. */
const refusalLifetime = hour;
const maxRemembered = 10_000;

/**
 * Creates a function that sends an ephemeral message if the bot may do so in the group, and otherwise a message for everyone:
 * an answer that everyone sees is better than none.
 */
export function createEphemeralSender(wall: Pick<Clock, 'now'>) {
  const refusedUntilByChat = new RecentMap<string, number>(maxRemembered);

  return async <Result>(
    chatId: string,
    {
      target,
      send,
    }: {
      readonly target: EphemeralTarget | undefined;
      readonly send: (aside: EphemeralTarget | undefined) => Promise<Result>;
    },
  ): Promise<Result> => {
    const isHopeless = target?.queryId === undefined && (refusedUntilByChat.get(chatId) ?? 0) > wall.now();
    if (target === undefined || isHopeless) return send(undefined);
    try {
      return await send(target);
    } catch (error) {
      const kind = error instanceof DeliveryError ? error.outcome.kind : undefined;
      if ((kind !== 'rejected' && kind !== 'barred') || knowsNoTimes(error)) throw error;
      if (target.queryId === undefined) refusedUntilByChat.set(chatId, wall.now() + refusalLifetime);
      return send(undefined);
    }
  };
}
