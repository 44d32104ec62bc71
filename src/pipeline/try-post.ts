import { randomUUID } from 'node:crypto';
import { type Receiver, receiverKey } from '../alert/subscription.ts';
import type { Card } from '../card/card.ts';
import { sayCard } from '../card/say-card.ts';
import { plainReader } from '../language/say.ts';
import { DeliveryError, UserError } from '../runtime/errors.ts';
import { formatDuration } from '../runtime/units.ts';
import type { Outlet } from './delivery.ts';

/**
 * Posts a card where and as alerts are posted, once, for a person who waits for it.
 * Throws UserError with what the platform lacks, as its notifier says it.
 */
export async function tryPost(
  outlets: readonly Outlet[],
  receiver: Receiver,
  card: Card,
  signal: AbortSignal,
): Promise<void> {
  const outlet = outlets.find(({ name }) => name === receiver.notifier);
  if (outlet === undefined) {
    throw new UserError(`Nothing can be posted here: the operator has not set up "${receiver.notifier}".`);
  }
  const { connection, pace, sharedBy } = outlet;
  const id = randomUUID().slice(0, 22);
  try {
    await pace.take(sharedBy?.(receiver.address, 'post') ?? receiverKey(receiver), 'urgent', signal);
    const said = sayCard(card, plainReader);
    await connection.send(
      { id, version: id, card: said, urgent: false, doubt: false },
      receiver.address,
      signal,
    );
  } catch (error) {
    if (signal.aborted) throw error;
    if (!(error instanceof DeliveryError)) throw error;
    const { outcome } = error;
    const again =
      outcome.kind === 'rate_limited'
        ? ` Try again in ${formatDuration(outcome.retryAfter)}.`
        : outcome.kind === 'unavailable'
          ? ' Try again in a minute.'
          : '';
    throw new UserError(`A test post did not get through: ${error.message}.${again}`, { cause: error });
  }
}
