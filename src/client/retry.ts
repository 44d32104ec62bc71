import type { ApiError } from '../runtime/errors.ts';

/** Returns the ms before a retry: exponential backoff with full jitter, from 0 to the doubled ceiling. `attempt` from 0. */
export const backoff = (attempt: number, random: () => number): number =>
  random() * Math.min(8_000, 500 * 2 ** attempt);

/** Returns the pause, ms, for a service that refuses without Retry-After: 1 s to 30 s, growing with each refusal in a row. */
export const pauseAfterRefusals = (refusals: number): number => Math.min(30_000, 1_000 * 2 ** (refusals - 1));

/** Returns whether the request exceeded a limit: that of the service, of the budget or of the caller's own share. */
export const isLimited = (error: ApiError): boolean =>
  error.reason === 'rate_limited' || error.reason === 'share_spent';

/** Returns whether a retry may help, because the error does not lie in the request itself. */
export const isRetriable = (error: ApiError): boolean =>
  error.reason === 'unreachable' || error.reason === 'server_error' || isLimited(error);
