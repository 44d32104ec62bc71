import type { Endpoint } from '../contract/index.ts';
import type { Clock, MarketClock } from '../runtime/clock.ts';
import { ApiError, type ApiErrorReason } from '../runtime/errors.ts';
import { aheadOfClock, type Bounded, dataTime } from './data-time.ts';

/** The results of the latest requests to one endpoint. Times are market ms. */
export interface FeedFreshness {
  readonly endpoint: string;
  readonly lastSuccess?: number;
  /** The time of the newest value in the last response. */
  readonly dataTime?: number | undefined;
  /** The last failure, or what was left out of the last response; absent if a later request has succeeded. */
  readonly problem?:
    | { readonly at: number; readonly reason: ApiErrorReason; readonly message: string }
    | undefined;
}

/** Errors that are caused by the service itself, not by the content or the number of requests. */
const serviceFailures: readonly ApiErrorReason[] = [
  'unreachable',
  'server_error',
  'malformed',
  'unauthorized',
];

/** Keeps the results of the latest requests to each endpoint, and from all of them whether the service responds at all. */
export function createFreshness(market: () => MarketClock, steady: Clock) {
  const feeds = new Map<string, FeedFreshness>();
  let lastResponseAt = Number.NEGATIVE_INFINITY;
  const failing = new Map<string, ApiErrorReason>();
  return {
    /** Returns ms since the service last responded if it fails to respond, Infinity if it never has; null if it responds. */
    unresponsiveFor(): number | null {
      // If a single endpoint fails, only that endpoint may be broken, unless the service could not be reached at all.
      const isUnresponsive = failing.size > 1 || [...failing.values()].includes('unreachable');
      return isUnresponsive ? steady.now() - lastResponseAt : null;
    },

    /** Returns the endpoints that were requested so far, sorted by path. */
    all: (): readonly FeedFreshness[] =>
      [...feeds.values()].sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1)),

    async track({ path }: Endpoint, fetchAnswer: () => Promise<Bounded>): Promise<Bounded> {
      try {
        const bounded = await fetchAnswer();
        lastResponseAt = steady.now();
        failing.clear();
        const at = market().now();
        const message = `${bounded.refused} of its rows refused: ${aheadOfClock}`;
        feeds.set(path, {
          endpoint: path,
          lastSuccess: at,
          dataTime: dataTime(bounded.answer),
          problem: bounded.refused > 0 ? { at, reason: 'malformed', message } : undefined,
        });
        return bounded;
      } catch (error) {
        // An invalid request, or one beyond the caller's share of the budget, says nothing about the feed.
        const isRequestFault =
          error instanceof ApiError && ['invalid_request', 'share_spent'].includes(error.reason);
        if (error instanceof ApiError && !isRequestFault) {
          const problem = { at: market().now(), reason: error.reason, message: error.message };
          feeds.set(path, { endpoint: path, ...feeds.get(path), problem });
          // A service that sends Retry-After can be reached: it may be starting, for example.
          if (error.retryAfter === undefined && serviceFailures.includes(error.reason))
            failing.set(path, error.reason);
        }
        throw error;
      }
    },
  };
}
