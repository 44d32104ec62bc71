import { setImmediate } from 'node:timers/promises';
import type { Settlement, Store } from '../store/store.ts';
import type { DeliveryContext } from './delivery.ts';
import { pass, type Verdict } from './stage.ts';

/** What became of it is kept before anything else is sent to the receiver. */
export async function settle(settlement: Settlement, context: DeliveryContext): Promise<Verdict<Settlement>> {
  await context.settle(settlement);
  return pass(settlement);
}

/**
 * Group commit: settlements that come while one transaction is under way share the next. Resolves to whether the claim
 * was still this process's.
 */
export function groupCommit(
  outbox: Pick<Store['outbox'], 'settle'>,
): (settlement: Settlement) => Promise<boolean> {
  let waiting: { settlement: Settlement; done: PromiseWithResolvers<boolean> }[] = [];
  let busy = false;

  const drain = async () => {
    busy = true;
    while (waiting.length > 0) {
      // Whatever else the event loop has in hand joins: a transaction costs much more than a row of it.
      await setImmediate();
      const batch = waiting;
      waiting = [];
      try {
        const lost = await outbox.settle(batch.map(({ settlement }) => settlement));
        for (const { settlement, done } of batch) done.resolve(!lost.has(settlement.claim));
      } catch (error) {
        for (const { done } of batch) done.reject(error);
      }
    }
    busy = false;
  };

  return (settlement) => {
    const done = Promise.withResolvers<boolean>();
    waiting.push({ settlement, done });
    if (!busy) void drain();
    return done.promise;
  };
}
