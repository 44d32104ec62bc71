import type { Endpoint } from '../contract/index.ts';
import type { MarketClock } from '../runtime/clock.ts';
import { ApiError } from '../runtime/errors.ts';
import type { Contact } from './contact.ts';
import { dataTime } from './data-time.ts';

/** What is known of one endpoint. Times are market ms. */
export interface FeedFreshness {
  readonly endpoint: string;
  readonly lastSuccess?: number;
  /** Of the newest value in the last answer. */
  readonly dataTime?: number;
  /** The last failure, where nothing has succeeded since. */
  readonly problem?: { readonly at: number; readonly reason: ApiError['reason']; readonly message: string };
}

/** Keeps what became of the questions to each endpoint. */
export function createFeeds(market: () => MarketClock, contact: Contact) {
  const feeds = new Map<string, FeedFreshness>();
  return {
    /** Asked so far, by path. */
    all: (): readonly FeedFreshness[] =>
      [...feeds.values()].sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1)),

    async watched({ path }: Endpoint, attempted: () => Promise<unknown>): Promise<unknown> {
      try {
        const answer = await attempted();
        contact.answered();
        const newest = dataTime(answer);
        feeds.set(path, {
          endpoint: path,
          lastSuccess: market().now(),
          ...(newest === undefined ? {} : { dataTime: newest }),
        });
        return answer;
      } catch (error) {
        // A wrong question, or one too many, says nothing about the feed.
        const own = error instanceof ApiError && ['invalid_request', 'share_spent'].includes(error.reason);
        if (error instanceof ApiError && !own) {
          const problem = { at: market().now(), reason: error.reason, message: error.message };
          feeds.set(path, { endpoint: path, ...feeds.get(path), problem });
          // Who says when to come again is there: it is starting, say.
          if (error.retryAfter === undefined) contact.failed(path, error.reason);
        }
        throw error;
      }
    },
  };
}
