import type { Clock, WallClock } from '../runtime/clock.ts';
import { ApiError, type ApiErrorReason } from '../runtime/errors.ts';
import { parseRetryAfter } from '../runtime/retry-after.ts';
import { second } from '../runtime/units.ts';
import type { RawAnswer } from './request.ts';
import { pauseAfterRefusals } from './retry.ts';

/** Makes all callers pause together when the service asks to be left alone. */
export interface ServicePause {
  /** Waits until a short pause is over. @throws ApiError if the pause lasts longer than `patience` */
  waitOut(endpoint: string, signal: AbortSignal): Promise<void>;
  /**
   * Notes a response: 429 and 503 pause all callers, because they are about the service and not about one question. Returns
   * the ms of the Retry-After of a refusal or failure; undefined if it has none.
   */
  noteResponse(raw: Pick<RawAnswer, 'status' | 'retryAfter'>): number | undefined;
}

/** @param patience the longest pause that is waited out, ms */
export function createServicePause({
  wall,
  steady,
  patience,
}: {
  readonly wall: WallClock;
  readonly steady: Clock;
  readonly patience: number;
}): ServicePause {
  let until = Number.NEGATIVE_INFINITY;
  /** Refusals in a row. Refusals of requests that were under way at the same time count as one. */
  let refusals = 0;
  /** The reason of the pause if the service refused without Retry-After; otherwise undefined. */
  let refusalReason: ApiErrorReason | undefined;

  return {
    async waitOut(endpoint, signal) {
      const wait = until - steady.now();
      if (wait <= 0) return;
      if (wait <= patience) return wall.sleep(wait, signal);
      const seconds = Math.ceil(wait / second);
      if (refusalReason !== undefined)
        throw new ApiError(endpoint, refusalReason, `the service refuses; it is asked again in ${seconds} s`);
      throw new ApiError(
        endpoint,
        'rate_limited',
        `the service asked to be left alone for ${seconds} s more`,
        { retryAfter: wait },
      );
    },
    noteResponse({ status, retryAfter: header }) {
      const isRefused = status === 429 || status === 503;
      const now = steady.now();
      if (!isRefused) refusals = 0;
      else if (until <= now) refusals += 1;
      const retryAfter = status === 429 || status >= 500 ? parseRetryAfter(header, wall.now()) : undefined;
      refusalReason =
        isRefused && retryAfter === undefined
          ? status === 429
            ? 'rate_limited'
            : 'server_error'
          : undefined;
      // A service that refuses without Retry-After is left alone too, longer each time.
      if (isRefused) until = Math.max(until, now + (retryAfter ?? pauseAfterRefusals(Math.max(1, refusals))));
      return retryAfter;
    },
  };
}
