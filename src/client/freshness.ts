import type { Endpoint } from '../contract/index.ts';
import type { MarketClock } from '../runtime/clock.ts';
import { ApiError } from '../runtime/errors.ts';
import type { Contact } from './contact.ts';
import { aheadOfClock, type Bounded, dataTime } from './data-time.ts';

/** The results of the latest requests to one endpoint. Times are market ms. */
export interface FeedFreshness {
  readonly endpoint: string;
  readonly lastSuccess?: number;
  /** The time of the newest value in the last response. */
  readonly dataTime?: number | undefined;
  /** The last failure, or what was left out of the last response; absent if a later request has succeeded. */
  readonly problem?:
    | { readonly at: number; readonly reason: ApiError['reason']; readonly message: string }
    | undefined;
}

/** Keeps the results of the latest requests to each endpoint. */
export function createFreshness(market: () => MarketClock, contact: Contact) {
  const feeds = new Map<string, FeedFreshness>();
  return {
    /** Returns the endpoints that were requested so far, sorted by path. */
    all: (): readonly FeedFreshness[] =>
      [...feeds.values()].sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1)),

    async track({ path }: Endpoint, fetchAnswer: () => Promise<Bounded>): Promise<Bounded> {
      try {
        const bounded = await fetchAnswer();
        contact.noteSuccess();
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
          if (error.retryAfter === undefined) contact.noteFailure(path, error.reason);
        }
        throw error;
      }
    },
  };
}
