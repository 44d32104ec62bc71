import { InputError } from '../runtime/errors.ts';
import { plainReader, say } from './say.ts';
import { lines, type Text } from './text.ts';

/** An attempt to send failed; `outcome` says what happens next. Only the pipeline retries. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  readonly outcome: DeliveryFailure;
  /** The message for a person who waits for the outcome; it is translated into their language. */
  readonly text: Text;

  constructor(outcome: DeliveryFailure, text: Text, options?: ErrorOptions) {
    super(say(text, plainReader), options);
    this.outcome = outcome;
    this.text = text;
  }
}

export type DeliveryFailure =
  | { kind: 'rate_limited'; retryAfter: number } // in milliseconds; does not count as an attempt
  | { kind: 'unavailable'; accepted: 'no' | 'unknown' } // retried; with 'unknown' the message may have been posted
  | { kind: 'barred' } // the bot may not post there for now: the place's subscriptions rest until it may again
  | { kind: 'missing' } // not found, but it may come back: tried for three days before its subscriptions end
  | { kind: 'gone' } // the platform says that the receiver no longer exists: its subscriptions end
  | { kind: 'moved'; to: Record<string, unknown> } // the receiver has a new address, which replaces the old one
  | { kind: 'rejected' }; // this message will never be accepted

/**
 * Why a request is refused. `invalid`: it cannot be read, or its parts do not fit together; `unknown`: there is no such thing
 * here; `conflict`: it is there already, or something else decides it; `limit`: there are as many as there may be;
 * `forbidden`: who asked may not; `unready`: it may be done later, as it is.
 */
export type RefusalCode = 'invalid' | 'unknown' | 'conflict' | 'limit' | 'forbidden' | 'unready';

/** A person's request cannot be done as it was asked: a refusal. The message is shown to them in their language. */
export class UserError extends InputError {
  override readonly name = 'UserError';
  /** What is wrong, as a heading: `Unknown market "bitcon"`. */
  readonly title: Text | undefined;
  /** The text below the heading: the remedy, or the whole message if there is no heading. */
  readonly remedy: Text;
  /** Heading and remedy. */
  readonly text: Text;
  readonly code: RefusalCode;

  constructor(remedy: Text, options: UserErrorOptions = {}) {
    const text = lines(options.title, remedy);
    super(say(text, plainReader), options);
    this.code = options.code ?? 'invalid';
    this.title = options.title;
    this.remedy = remedy;
    this.text = text;
  }
}

interface UserErrorOptions extends ErrorOptions {
  readonly title?: Text | undefined;
  /** `invalid` if left out. */
  readonly code?: RefusalCode | undefined;
}

/** Returns what a function returns; undefined if it refuses. */
export function unlessRefused<Value>(ask: () => Value): Value | undefined {
  try {
    return ask();
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Attaches a translatable message to a custom check of zod: `.refine(check, withMessage(msg('…')))`, or in `addIssue`. */
export const withMessage = (text: Text) => ({ params: { text } });
