import type { WallClock } from '../../runtime/clock.ts';
import { second } from '../../runtime/units.ts';

/** How long a request for history waits for urgent requests at most, wall ms, so that a hanging request cannot block it. */
const patience = 2 * second;

/**
 * Sends requests about the present before requests about the past: while an urgent request is under way, other requests wait
 * for up to `patience`. A response with thousands of past rows costs the server as much work as hundreds of the small requests
 * that a round about the present consists of, and each of these would wait behind it.
 */
export function createPrecedence({
  wall,
  signal,
}: {
  readonly wall: Pick<WallClock, 'sleep'>;
  readonly signal: AbortSignal;
}) {
  let present = 0;
  let over = Promise.withResolvers<void>();

  async function urgently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    present += 1;
    try {
      return await ask();
    } finally {
      present -= 1;
      if (present === 0) {
        over.resolve();
        over = Promise.withResolvers();
      }
    }
  }

  async function presentIsOver(): Promise<void> {
    const waited = new AbortController();
    const enough = wall.sleep(patience, AbortSignal.any([signal, waited.signal])).catch(() => {});
    await Promise.race([over.promise, enough]);
    waited.abort();
    signal.throwIfAborted();
  }

  return async <Answer>(
    ask: () => Promise<Answer>,
    { urgent }: { readonly urgent: boolean },
  ): Promise<Answer> => {
    if (urgent) return urgently(ask);
    if (present > 0) await presentIsOver();
    return ask();
  };
}
