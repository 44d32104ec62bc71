import { plainReader, say } from '../language/say.ts';
import type { Text } from '../language/text.ts';

/**
 * Four errors, each saying whose turn it is. A message carries the remedy and never a token;
 * what lies behind it is the `cause`.
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

export type ApiErrorReason =
  | 'unreachable' // refused, reset, timed out
  | 'rate_limited' // 429, or our own budget
  | 'share_spent' // by whoever asks, of what is kept for people; others are answered
  | 'unauthorized' // 401, 403
  | 'invalid_request' // 400, 404: the question was wrong (an unknown symbol, say)
  | 'not_offered' // 501, or an extension this service lacks
  | 'server_error' // 5xx
  | 'malformed'; // too large, not JSON, or a field of the wrong type

/** A receiver's turn, or its platform's: what became of one attempt to send. Only the pipeline retries. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  readonly outcome: DeliveryFailure;
  /** For a person who waits for it, in their language. */
  readonly text: Text;

  constructor(outcome: DeliveryFailure, text: Text, options?: ErrorOptions) {
    super(say(text, plainReader), options);
    this.outcome = outcome;
    this.text = text;
  }
}

export type DeliveryFailure =
  | { kind: 'rate_limited'; retryAfter: number } // milliseconds; not an attempt
  | { kind: 'unavailable'; accepted: 'no' | 'unknown' } // try again; 'unknown' = it may have been posted
  | { kind: 'barred' } // the bot may not post there for now: what the place has rests until it may again
  | { kind: 'gone' } // the receiver is no more: its subscriptions end
  | { kind: 'moved'; to: Record<string, unknown> } // follow and remember
  | { kind: 'rejected' }; // this message will never be taken

/** The person's turn: what they asked cannot be done as asked. They are shown the text, in their language. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly text: Text;

  constructor(text: Text, options?: ErrorOptions) {
    super(say(text, plainReader), options);
    this.text = text;
  }
}
