import type { DataClient } from '../contract/data-client.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { type MarketClock, marketClock, realTime, type WallClock } from '../runtime/clock.ts';
import { ApiError } from '../runtime/errors.ts';
import { minute, second } from '../runtime/units.ts';
import { createTracked } from './tracked.ts';

/** What the service says of itself, and the market time that follows from it. */
export interface Meta {
  /** The last answer; undefined where the service has none, or has not been reached yet. */
  last(): EndpointAnswer<'meta'> | undefined;
  /** Tracked symbols, the largest volume first; none before the service was reached. */
  symbols(): readonly string[];
  market(): MarketClock;
  /** Wall ms since the service last answered; Infinity before it did. */
  silence(): number;
  /** Asks again. Rejects with an ApiError; a service without /meta is no error: its time is wall time. */
  refresh(signal?: AbortSignal): Promise<void>;
}

/** Wall ms between two looks: a market that runs fast is looked at more often. */
export const metaEvery = (speed: number): number => Math.max(2 * second, minute / speed);

/** Wall ms by which an answer's way may shift the time it tells: less is not worth a jump. */
const jitter = 2 * second;

/** @param begin the time until the service tells its own */
export function trackMeta(
  data: Pick<DataClient, 'meta' | 'marketOverview' | 'volumeCvd'>,
  { wall, begin = realTime(wall) }: { readonly wall: WallClock; readonly begin?: MarketClock | undefined },
): Meta {
  const tracked = createTracked(data, wall);
  let last: EndpointAnswer<'meta'> | undefined;
  let market = begin;
  let heard = Number.NEGATIVE_INFINITY;
  return {
    last: () => last,
    symbols: () => last?.symbols ?? tracked.symbols(),
    market: () => market,
    silence: () => wall.now() - heard,
    async refresh(signal) {
      const asked = wall.now();
      try {
        last = await data.meta({}, signal);
      } catch (error) {
        if (!(error instanceof ApiError && error.reason === 'not_offered')) throw error;
        market = realTime(wall);
        await tracked.refresh(signal);
        return;
      }
      heard = wall.now();
      const { speed, marketTime } = last;
      const reported = marketClock(wall, {
        market: Date.parse(marketTime),
        wall: (asked + wall.now()) / 2,
        speed,
      });
      const apart = Math.abs(reported.now() - market.now());
      if (speed !== market.speed || apart > jitter * speed) market = reported;
    },
  };
}
