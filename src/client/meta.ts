import type { DataClient } from '../contract/data-client.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { type MarketClock, marketClock, realTime, type WallClock } from '../runtime/clock.ts';
import { ApiError } from '../runtime/errors.ts';
import { minute, second } from '../runtime/units.ts';
import { createTrackedSymbols } from './tracked.ts';

/** What the data service reports about itself on /meta, and the market time that follows from it. */
export interface Meta {
  /** Returns the last response; undefined if the service has no /meta or has not been reached yet. */
  last(): EndpointAnswer<'meta'> | undefined;
  /** Returns the tracked symbols, the largest volume first; none until the service has been reached. */
  symbols(): readonly string[];
  market(): MarketClock;
  /** Returns wall ms since the service last responded to /meta; Infinity if it never has. */
  silentFor(): number;
  /** Wall ms until /meta is requested again. */
  interval(): number;
  /** Requests /meta again. Rejects with an ApiError. A service without /meta is no error: its market time is wall time. */
  refresh(signal?: AbortSignal): Promise<void>;
}

/** Returns the wall ms between two requests for /meta: shorter for a market that runs faster than real time. */
export const metaInterval = (speed: number): number => Math.max(2 * second, minute / speed);

/** The least of it where a request counts against a hosted service's limit: while it is getting ready, and then. */
const hostedInterval = { starting: 10 * second, ready: minute };

/** How long a service that has never offered /meta is not asked for it again, wall ms: each answer costs a request of its budget. */
const pauseWithoutMeta = 5 * minute;

/** The error that network delay may add to a reported time, wall ms. The clock is not corrected by less than this. */
const jitter = 2 * second;

/** @param initialClock the market clock until the service reports its time */
export function trackMeta(
  data: Pick<DataClient, 'meta' | 'marketOverview' | 'volumeCvd'>,
  {
    wall,
    initialClock = realTime(wall),
    hosted = false,
  }: {
    readonly wall: WallClock;
    readonly initialClock?: MarketClock | undefined;
    readonly hosted?: boolean;
  },
): Meta {
  const tracked = createTrackedSymbols(data, wall);
  let last: EndpointAnswer<'meta'> | undefined;
  let market = initialClock;
  let lastResponseAt = Number.NEGATIVE_INFINITY;
  let missingAt = Number.NEGATIVE_INFINITY;
  return {
    last: () => last,
    symbols: () => last?.symbols ?? tracked.symbols(),
    market: () => market,
    silentFor: () => wall.now() - lastResponseAt,
    interval() {
      const starting = last?.ready === false;
      if (hosted) return hostedInterval[starting ? 'starting' : 'ready'];
      return starting ? second : metaInterval(market.speed);
    },
    async refresh(signal) {
      const requestedAt = wall.now();
      if (last === undefined && Math.abs(requestedAt - missingAt) < pauseWithoutMeta)
        return tracked.refresh(signal);
      try {
        last = await data.meta({}, signal);
      } catch (error) {
        const isNotOffered = error instanceof ApiError && error.reason === 'not_offered';
        // A service that has reported a past market still has /meta: something in front of it responds in its place. By wall time
        // everything of that market would be overdue.
        const isPast = last !== undefined && last.source !== 'live';
        if (!isNotOffered || isPast) throw error;
        market = realTime(wall);
        missingAt = requestedAt;
        return tracked.refresh(signal);
      }
      lastResponseAt = wall.now();
      const { speed, marketTime } = last;
      const reported = marketClock(wall, {
        market: Date.parse(marketTime),
        wall: (requestedAt + wall.now()) / 2,
        speed,
      });
      const difference = Math.abs(reported.now() - market.now());
      if (speed !== market.speed || difference > jitter * speed) market = reported;
    },
  };
}
