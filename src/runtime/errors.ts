/**
 * An error says whose turn it is. Its message carries the remedy and never a token; what lies behind it is the `cause`.
 * Those that are said to people in their language stand in src/language/errors.ts.
 */

/** The operator's turn: the configuration is wrong. All problems at once. Exit code 78 (EX_CONFIG). */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('\n'), options);
    this.problems = problems;
  }
}

/** The data service's turn. `field` is the path of the first value that was not as promised. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly endpoint: string;
  readonly reason: ApiErrorReason;
  readonly field: string | undefined;
  /** Milliseconds until the service asked to be left alone, where it said so. */
  readonly retryAfter: number | undefined;

  // biome-ignore lint/complexity/useMaxParams: as Error has it: its options come last
  constructor(
    endpoint: string,
    reason: ApiErrorReason,
    message: string,
    options: ErrorOptions & { field?: string; retryAfter?: number } = {},
  ) {
    super(`${endpoint}: ${message}`, options);
    this.endpoint = endpoint;
    this.reason = reason;
    this.field = options.field;
    this.retryAfter = options.retryAfter;
  }
}

/** What was asked of the data service; undefined where that cannot be had. Any other failure is thrown on. */
export async function ifAnswered<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

export type ApiErrorReason =
  | 'unreachable' // refused, reset, timed out
  | 'rate_limited' // 429, or our own budget
  | 'share_spent' // by whoever asks, of what is kept for people; others are answered
  | 'unauthorized' // 401, 403
  | 'invalid_request' // 400, 404: the question was wrong (an unknown symbol, say)
  | 'not_offered' // 501, or an extension this service lacks
  | 'server_error' // 5xx
  | 'malformed'; // too large, not JSON, or a field of the wrong type

/** Whoever asked is to ask otherwise: the message says what was given and what is allowed. */
export class InputError extends Error {
  override readonly name: string = 'InputError';
}
