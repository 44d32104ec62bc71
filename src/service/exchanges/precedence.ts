import type { WallClock } from '../../runtime/clock.ts';
import { second } from '../../runtime/units.ts';

/** Wall ms that the past waits for the present at the most: a question that hangs holds up no history. */
const patience = 2 * second;

/**
 * Questions about the present go before those about the past: while one is under way none of the others sets out. A past of
 * thousands of rows is as much work for who answers it as hundreds of the small questions that a round of the present is made
 * of, which would each wait behind it.
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
