import type { WallClock } from '../../runtime/clock.ts';
import { second } from '../../runtime/units.ts';

/** How long a request for history waits for urgent requests at most, wall ms, so that a hanging request cannot block it. */
const maxWait = 2 * second;

/**
 * Sends requests about the present before requests about the past: while an urgent request is under way, other requests wait
 * for up to `maxWait`. A response with thousands of past rows costs the server as much work as hundreds of the small requests
 * that a round about the present consists of, and each of these would wait behind it.
 */
export function createPrecedence(wall: Pick<WallClock, 'sleep'>, signal: AbortSignal) {
  let urgentCount = 0;
  let urgentDone = Promise.withResolvers<void>();

  async function askUrgently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    urgentCount += 1;
    try {
      return await ask();
    } finally {
      urgentCount -= 1;
      if (urgentCount === 0) {
        urgentDone.resolve();
        urgentDone = Promise.withResolvers();
      }
    }
  }

  async function waitForUrgent(): Promise<void> {
    const waitEnded = new AbortController();
    const timeout = wall.sleep(maxWait, AbortSignal.any([signal, waitEnded.signal])).catch(() => {});
    await Promise.race([urgentDone.promise, timeout]);
    waitEnded.abort();
    signal.throwIfAborted();
  }

  return async <Answer>(ask: () => Promise<Answer>, urgent: boolean): Promise<Answer> => {
    if (urgent) return askUrgently(ask);
    if (urgentCount > 0) await waitForUrgent();
    return ask();
  };
}
