import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { WallClock } from '../runtime/clock.ts';
import { isOwnFault } from '../runtime/own-fault.ts';
import { LostRole } from '../runtime/role.ts';
import { second } from '../runtime/units.ts';
import type { Settlement, Store } from '../store/ports.ts';
import { tries } from './defect.ts';
import { type DeliveryContext, revisionsOf } from './delivery.ts';
import { pass, type Verdict } from './stage.ts';

/** Stores the outcome of a message before anything else is sent to its receiver. */
export async function settle(settlement: Settlement, context: DeliveryContext): Promise<Verdict<Settlement>> {
  await context.settle(settlement);
  return pass(settlement);
}

interface Waiting {
  readonly settlement: Settlement;
  readonly done: PromiseWithResolvers<boolean>;
}

/** The longest wait between two attempts while the database accepts nothing, wall ms. */
const longestWait = 2 * second;
/** The number of attempts once the bot is stopping, about seven seconds in total. */
const lastAttempts = 6;

/**
 * Creates a group commit: settlements that come while one transaction is running share the next one. Until a settlement
 * is stored, this process alone knows what was sent, so storing is retried for as long as the process lives. A
 * settlement that cannot be stored by its own fault is separated from the others.
 * @returns a function that resolves to whether the claim still belonged to this process, and rejects if this settlement
 * itself cannot be stored
 */
export function groupCommit(
  outbox: Pick<Store['outbox'], 'settle'>,
  { wall, log, stopping }: { readonly wall: WallClock; readonly log: Logger; readonly stopping: AbortSignal },
): (settlement: Settlement) => Promise<boolean> {
  let waiting: Waiting[] = [];
  let isDraining = false;
  let failures = 0;
  let attemptsLeft = lastAttempts;

  const drain = async () => {
    isDraining = true;
    while (waiting.length > 0) {
      // Settlements that arrive in this turn of the event loop join the batch: a transaction costs much more than a row
      // in it.
      await setImmediate();
      const batch = waiting;
      waiting = [];
      await storeBatch(batch);
    }
    isDraining = false;
  };

  const alertsOf = (batch: readonly Waiting[]) =>
    batch.flatMap(({ settlement }) => revisionsOf(settlement.claim));
  const storeBatch = async (batch: readonly Waiting[], before = false): Promise<void> => {
    let unanswered = before;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const lostClaims = await outbox.settle(
          batch.map(({ settlement }) => settlement),
          unanswered,
        );
        if (failures > 0) log.info('what was sent could be stored again');
        failures = 0;
        for (const { settlement, done } of batch) done.resolve(!lostClaims.has(settlement.claim));
        return;
      } catch (error) {
        if (error instanceof LostRole) {
          // The process that holds the role now knows which posts were begun, and settles them.
          log.warn(
            { err: error, alerts: alertsOf(batch) },
            'another process now settles these messages; leaving them to it',
          );
          for (const { done } of batch) done.resolve(false);
          return;
        }
        if (isOwnFault(error) && batch.length > 1) {
          const half = Math.ceil(batch.length / 2);
          await storeBatch(batch.slice(0, half), unanswered);
          return storeBatch(batch.slice(half), unanswered);
        }
        unanswered ||= !isOwnFault(error);
        const atFault = isOwnFault(error) && attempt >= tries;
        if (stopping.aborted) attemptsLeft -= 1;
        if (atFault)
          log.error({ err: error, alerts: alertsOf(batch) }, 'could not store what became of a message');
        else if (failures === 0)
          log.warn({ err: error, alerts: alertsOf(batch) }, 'could not store what was sent; retrying');
        if (atFault || attemptsLeft < 0) {
          for (const { done } of batch) done.reject(error);
          return;
        }
        if (isOwnFault(error)) continue;
        failures += 1;
        await wall.sleep(Math.min(longestWait, 50 * 2 ** failures));
      }
    }
  };

  return (settlement) => {
    const done = Promise.withResolvers<boolean>();
    waiting.push({ settlement, done });
    if (!isDraining) void drain();
    return done.promise;
  };
}
