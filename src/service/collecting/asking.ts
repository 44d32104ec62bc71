import type { Logger } from 'pino';
import { Bucket } from '../../runtime/bucket.ts';
import type { Clock } from '../../runtime/clock.ts';
import { minute } from '../../runtime/units.ts';
import { messageOf } from './catch-up.ts';
import type { Universe } from './universe.ts';

/**
 * How many markets' pasts are fetched at once for who asks, and within how long, wall ms. On Binance each takes three of the
 * 1,000 requests of five minutes on /futures/data. The pasts of further markets are filled by the next repair.
 */
const maxFetched = { markets: 60, per: 5 * minute };

/** Returns the function that follows a market somebody asks about. */
export function openAsking({
  universe,
  fetch,
  wall,
  log,
}: {
  readonly universe: Pick<Universe, 'ask'>;
  readonly fetch: (symbol: string) => Promise<void>;
  readonly wall: Clock;
  readonly log: Logger;
}): (symbol: string) => Promise<void> {
  const fetched = new Bucket(maxFetched.per);
  const unfetched = new Set<string>();
  const fetching = new Map<string, Promise<void>>();
  return async (symbol) => {
    if (universe.ask(symbol)) unfetched.add(symbol);
    if (!unfetched.has(symbol)) return fetching.get(symbol);
    const now = wall.now();
    if (fetched.wait(now, { max: maxFetched.markets }) > 0) return undefined;
    fetched.add(now);
    unfetched.delete(symbol);
    const work = fetch(symbol)
      .catch((error: unknown) => {
        unfetched.add(symbol);
        log.debug({ symbol, problem: messageOf(error) }, 'the past of a market could not be fetched');
      })
      .finally(() => fetching.delete(symbol));
    fetching.set(symbol, work);
    return work;
  };
}
