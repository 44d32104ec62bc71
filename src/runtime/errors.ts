/**
 * Error classes by who has to act: the operator, the data service or the user. A message contains the remedy and never
 * a token; the underlying error is the `cause`. Errors that are shown to people in their language are in
 * src/language/errors.ts.
 */

import { aborted } from './aborted.ts';

/**
 * The configuration is wrong, and the operator has to act. Contains all problems at once. Exit code 78 (EX_CONFIG), or 75
 * (EX_TEMPFAIL) if it may pass.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];
  /** Whether it may pass by itself, such as a server that does not answer yet: then another start helps. */
  readonly mayPass: boolean;

  constructor(
    problems: readonly string[],
    { mayPass = false, ...options }: ErrorOptions & { readonly mayPass?: boolean } = {},
  ) {
    super(problems.join('\n'), options);
    this.problems = problems;
    this.mayPass = mayPass;
  }
}

/** A request to the data service failed. `field` is the path of the first value that did not match the contract. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly endpoint: string;
  readonly reason: ApiErrorReason;
  readonly field: string | undefined;
  /** Milliseconds for which the service asked not to be called, if it said so. */
  readonly retryAfter: number | undefined;

  // biome-ignore lint/complexity/useMaxParams: as Error has it: its options come last
  constructor(
    endpoint: string,
    reason: ApiErrorReason,
    message: string,
    options: ErrorOptions & { field?: string | undefined; retryAfter?: number | undefined } = {},
  ) {
    super(`${endpoint}: ${message}`, options);
    this.endpoint = endpoint;
    this.reason = reason;
    this.field = options.field;
    this.retryAfter = options.retryAfter;
  }
}

/**
 * Returns the answer of the data service, or undefined after an ApiError and as soon as `signal` aborts, also if others go
 * on waiting for the answer. Any other error is thrown on.
 */
export async function ifAnswered<Answer>(
  asked: Promise<Answer>,
  signal?: AbortSignal,
): Promise<Answer | undefined> {
  const late = signal && aborted(signal).then(() => undefined);
  try {
    return await (late === undefined ? asked : Promise.race([asked, late]));
  } catch (error) {
    if (error instanceof ApiError || signal?.aborted === true) return undefined;
    throw error;
  }
}

/** Returns the answer, or undefined if the service lacks this extension of the interface. Any other error is thrown on. */
export async function ifOffered<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'not_offered') return undefined;
    throw error;
  }
}

export const apiErrorReasons = [
  'unreachable', // refused, reset, timed out
  'rate_limited', // 429, or our own budget
  'share_spent', // the caller's own share of the requests reserved for people is used up; other callers still get answers
  'unauthorized', // 401, 403
  'invalid_request', // 400, 404: the request was wrong (an unknown symbol, say)
  'not_offered', // 501, or an extension this service lacks
  'server_error', // 5xx
  'malformed', // too large, not JSON, or a field of the wrong type
] as const;
export type ApiErrorReason = (typeof apiErrorReasons)[number];

/** The input is wrong and has to be changed: the message says what was given and what is allowed. */
export class InputError extends Error {
  override readonly name: string = 'InputError';
}

/** A write was refused, because the database is lost or damaged, and the operator has to act: nothing was saved. */
export class DatabaseLost extends Error {
  override readonly name = 'DatabaseLost';
}

/** The connection to the database's server broke, or the server cannot work now: it may pass by itself. */
export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway';
  override readonly cause: Error;
  constructor(cause: Error) {
    super(cause.message);
    this.cause = cause;
  }
}
