import type { Clock, WallClock } from '../runtime/clock.ts';
import { ApiError, type ApiErrorReason } from '../runtime/errors.ts';
import { parseRetryAfter } from '../runtime/retry-after.ts';
import { createSlots } from '../runtime/slots.ts';
import { second } from '../runtime/units.ts';
import { maxConnections, type RawAnswer } from './request.ts';
import type { Payer } from './request-budget.ts';
import { pauseAfterRefusals } from './retry.ts';

/** Makes all callers pause together when the service asks to be left alone. */
interface ServicePause {
  /** Waits until no pause is left, if these are short. @throws ApiError if a pause lasts longer than `patience` */
  waitOut(endpoint: string, signal: AbortSignal): Promise<void>;
  /**
   * Sends a request when a connection is free and no pause is left: the service may have refused another request since the
   * caller's first look. 429 and 503 pause all callers, because they are about the service and not about one question.
   * `retryAfter` is that of a refusal or failure, ms; undefined if it has none.
   */
  send(
    endpoint: string,
    given: { readonly signal: AbortSignal; readonly request: () => Promise<RawAnswer> },
  ): Promise<{ readonly raw: RawAnswer; readonly retryAfter: number | undefined }>;
  /** Throws the error of the budget on, and notes for how long it refuses the detectors' requests. */
  rethrow(error: unknown, payers: readonly Payer[]): never;
  /**
   * Returns the last pause that the service asked for, or the budget; `left` is negative once it is over. A 503 without
   * Retry-After asks for none: such a service fails.
   */
  last(): AskedPause | undefined;
}

export interface AskedPause {
  readonly reason: 'rate_limited' | 'not_ready' | 'budget_spent';
  /** Wall ms. */
  readonly left: number;
}

/** Returns whether a service says that it is not ready, and when it will be. Without that it fails. */
export const isNotReady = (
  { status }: Pick<RawAnswer, 'status'>,
  retryAfter: number | undefined,
): retryAfter is number => status === 503 && retryAfter !== undefined;

/** @param patience the longest pause that is waited out, ms */
export function createServicePause(wall: WallClock, steady: Clock, patience: number): ServicePause {
  let until = Number.NEGATIVE_INFINITY;
  /** Refusals in a row. Refusals of requests that were under way at the same time count as one. */
  let refusals = 0;
  /** The reason of the pause if the service refused without Retry-After; otherwise undefined. */
  let refusalReason: ApiErrorReason | undefined;
  let asked: { readonly reason: AskedPause['reason']; readonly until: number } | undefined;

  const inSlot = createSlots(maxConnections);
  async function waitOut(endpoint: string, signal: AbortSignal): Promise<void> {
    // While one pause is waited out, the service may ask for another.
    for (let wait = until - steady.now(); wait > 0; wait = until - steady.now()) {
      if (wait <= patience) await wall.sleep(wait, signal);
      else if (refusalReason === undefined)
        throw new ApiError(
          endpoint,
          'rate_limited',
          `the service asked to be left alone for ${Math.ceil(wait / second)} s more`,
          { retryAfter: wait },
        );
      else
        throw new ApiError(
          endpoint,
          refusalReason,
          `the service refuses; it is asked again in ${Math.ceil(wait / second)} s`,
        );
    }
  }

  function noteResponse({ status, retryAfter: header }: RawAnswer): number | undefined {
    const isRefused = status === 429 || status === 503;
    const now = steady.now();
    if (!isRefused) refusals = 0;
    else if (until <= now) refusals += 1;
    const retryAfter = status === 429 || status >= 500 ? parseRetryAfter(header, wall.now()) : undefined;
    refusalReason =
      isRefused && retryAfter === undefined ? (status === 429 ? 'rate_limited' : 'server_error') : undefined;
    // A service that refuses without Retry-After is left alone too, longer each time.
    if (isRefused) until = Math.max(until, now + (retryAfter ?? pauseAfterRefusals(Math.max(1, refusals))));
    if (status === 429) asked = { reason: 'rate_limited', until };
    else if (isNotReady({ status }, retryAfter)) asked = { reason: 'not_ready', until };
    return retryAfter;
  }

  return {
    waitOut,
    send: (endpoint, { signal, request }) =>
      inSlot(async () => {
        await waitOut(endpoint, signal);
        const raw = await request();
        return { raw, retryAfter: noteResponse(raw) };
      }),
    rethrow(error, payers) {
      if (error instanceof ApiError && error.retryAfter !== undefined && payers.includes('poll'))
        asked = { reason: 'budget_spent', until: steady.now() + error.retryAfter };
      throw error;
    },
    last: () => asked && { reason: asked.reason, left: asked.until - steady.now() },
  };
}
