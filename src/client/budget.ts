import type { MarketClock } from '../runtime/clock.ts';
import { ApiError } from '../runtime/errors.ts';

/** Where requests are remembered across restarts. `key` is a hash, `at` and `since` are market ms. */
export interface BudgetLog {
  /** Times of the requests recorded under the key, none before `since`. */
  load(key: string, since: number): Promise<number[]>;
  record(key: string, at: number): Promise<void>;
}

export interface BudgetOptions {
  /** Requests in any `window` market ms. */
  readonly limit: number;
  readonly window: number;
  /** The part of `limit` that only people's questions may use. */
  readonly reserve: number;
  readonly log: BudgetLog;
}

export type Purpose = 'poll' | 'question';

export interface BudgetState {
  readonly used: number;
  readonly limit: number;
  readonly reserved: number;
  readonly window: number;
}

export interface Budget {
  /** Records one request, and only then resolves. Rejects with an ApiError, `rate_limited`, where none is left. */
  take(endpoint: string, purpose: Purpose): Promise<void>;
  state(): BudgetState;
}

export function createBudget(
  key: string,
  { limit, window, reserve, log }: BudgetOptions,
  market: () => MarketClock,
): Budget {
  let taken: number[] = [];
  let loading: Promise<void> | undefined;

  const load = async () => {
    taken = await log.load(key, market().now() - window);
  };

  // Entries from after `now` were made on another market's clock: they would never expire.
  const within = (now: number) => taken.filter((at) => at > now - window && at <= now);

  return {
    async take(endpoint, purpose) {
      try {
        loading ??= load();
        await loading;
      } catch (cause) {
        loading = undefined;
        throw unrecorded(endpoint, cause);
      }
      const clock = market();
      const now = clock.now();
      taken = within(now).sort((a, b) => a - b);
      const allowed = purpose === 'question' ? limit : limit - reserve;
      if (taken.length >= allowed) {
        const freed = taken[taken.length - allowed] ?? now;
        throw new ApiError(
          endpoint,
          'rate_limited',
          `the budget of ${allowed} requests per ${window / 60_000} min is used up; it is asked again as requests expire`,
          { retryAfter: clock.wallUntil(freed + window) },
        );
      }
      // Counted before the await, so that two at once cannot take the same place.
      taken.push(now);
      await log.record(key, now).catch((cause: unknown) => {
        throw unrecorded(endpoint, cause);
      });
    },
    state: () => ({ used: within(market().now()).length, limit, reserved: reserve, window }),
  };
}

/** A request that is not remembered would be a limit broken after a restart: it is not sent. */
const unrecorded = (endpoint: string, cause: unknown) =>
  new ApiError(
    endpoint,
    'unreachable',
    'not asked, because the request could not be recorded; check the database',
    {
      cause,
    },
  );
