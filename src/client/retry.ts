import type { ApiError } from '../runtime/errors.ts';

/** Exponential backoff with full jitter: anything from 0 to the doubled ceiling, ms. `attempt` from 0. */
export const backoff = (attempt: number, random: () => number): number =>
  random() * Math.min(8_000, 500 * 2 ** attempt);

/** How long a service is left alone that refuses without saying for how long: 1 s to 30 s, by how often it has. */
export const restAfter = (refusals: number): number => Math.min(30_000, 1_000 * 2 ** (refusals - 1));

/** Too much was asked: by everyone, or by whoever asks. */
export const isLimited = (error: ApiError): boolean =>
  error.reason === 'rate_limited' || error.reason === 'share_spent';

/** Asking again may help: the question itself was not at fault. */
export const retriable = (error: ApiError): boolean =>
  error.reason === 'unreachable' || error.reason === 'server_error' || isLimited(error);
