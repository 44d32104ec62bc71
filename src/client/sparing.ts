import type { Clock, WallClock } from '../runtime/clock.ts';
import { ApiError, type ApiErrorReason } from '../runtime/errors.ts';
import { parseRetryAfter } from '../runtime/retry-after.ts';
import { second } from '../runtime/units.ts';
import type { RawAnswer } from './request.ts';
import { restAfter } from './retry.ts';

/** A service that asks to be left alone is, by all callers together. */
export interface Sparing {
  /** Waits out a short rest; a long one is the caller's to know. @throws ApiError */
  over(endpoint: string, signal: AbortSignal): Promise<void>;
  /** Gives the ms after which it wants to be asked again, where it says so. */
  answered(raw: Pick<RawAnswer, 'status' | 'retryAfter'>): number | undefined;
}

/** @param patience ms of a rest that is waited out */
export function createSparing({
  wall,
  steady,
  patience,
}: {
  readonly wall: WallClock;
  readonly steady: Clock;
  readonly patience: number;
}): Sparing {
  let until = Number.NEGATIVE_INFINITY;
  /** Answers in a row that asked for it; those that were under way at once are one. */
  let refusals = 0;
  /** What it is spared for, where it did not say for how long. */
  let refusedAs: ApiErrorReason | undefined;

  return {
    async over(endpoint, signal) {
      const wait = until - steady.now();
      if (wait <= 0) return;
      if (wait <= patience) return wall.sleep(wait, signal);
      const seconds = Math.ceil(wait / second);
      if (refusedAs !== undefined)
        throw new ApiError(endpoint, refusedAs, `the service refuses; it is asked again in ${seconds} s`);
      throw new ApiError(
        endpoint,
        'rate_limited',
        `the service asked to be left alone for ${seconds} s more`,
        { retryAfter: wait },
      );
    },
    answered({ status, retryAfter: header }) {
      const refused = status === 429 || status === 503;
      const now = steady.now();
      if (!refused) refusals = 0;
      else if (until <= now) refusals += 1;
      const retryAfter = refused ? parseRetryAfter(header, wall.now()) : undefined;
      refusedAs =
        refused && retryAfter === undefined ? (status === 429 ? 'rate_limited' : 'server_error') : undefined;
      // Who does not say when to come again is spared all the same: longer each time.
      if (refused) until = Math.max(until, now + (retryAfter ?? restAfter(Math.max(1, refusals))));
      return retryAfter;
    },
  };
}
