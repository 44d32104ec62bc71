import { randomUUID } from 'node:crypto';
import type { Receiver } from '../alert/subscription.ts';
import type { Card } from '../card/card.ts';
import { DeliveryError, UserError } from '../language/errors.ts';
import { span } from '../language/format.ts';
import { join, msg } from '../language/text.ts';
import { type Outlet, placeOf } from './delivery.ts';

export interface DirectPost {
  readonly receiver: Receiver;
  readonly card: Card<string>;
  readonly signal: AbortSignal;
  /** Identifies the post for every attempt at it, if there may be several. */
  readonly id?: string;
}

/**
 * Makes one attempt to post, outside the queue, but with a turn at the pace that everything sent to the place shares.
 * @throws DeliveryError
 */
export async function postOnce(outlet: Outlet, given: DirectPost): Promise<void> {
  const { receiver, card, signal, id = randomUUID().slice(0, 22) } = given;
  const lane = given.id === undefined ? 'urgent' : 'routine';
  await outlet.pace.take(placeOf(outlet, receiver, 'post'), { lane, signal });
  await outlet.connection.send(
    { id, version: id, card, loud: false, doubt: given.id !== undefined },
    { address: receiver.address, signal },
  );
}

/**
 * Posts a card once, where and as alerts are posted, for a person who waits for the result.
 * @throws UserError if the notifier is not set up or could not post; the text says why, as the notifier says it
 */
export async function tryPost(
  outlets: readonly Outlet[],
  { receiver, card, signal }: DirectPost,
): Promise<void> {
  const outlet = outlets.find(({ name }) => name === receiver.notifier);
  if (outlet === undefined) {
    throw new UserError(
      msg('Nothing can be posted here: the operator has not set up "{notifier}".', {
        notifier: receiver.notifier,
      }),
      { code: 'conflict' },
    );
  }
  try {
    await postOnce(outlet, { receiver, card, signal });
  } catch (error) {
    if (signal.aborted || !(error instanceof DeliveryError)) throw error;
    const { outcome } = error;
    const again =
      outcome.kind === 'rate_limited'
        ? msg('Try again in {after}.', { after: span(outcome.retryAfter) })
        : outcome.kind === 'unavailable'
          ? msg('Try again in a minute.')
          : undefined;
    const failed = msg('A test post did not get through: {problem}.', { problem: error.text });
    throw new UserError(join([failed, again], ' '), {
      cause: error,
      code: again === undefined ? 'conflict' : 'unready',
    });
  }
}
