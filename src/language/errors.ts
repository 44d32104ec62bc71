import { InputError } from '../runtime/errors.ts';
import { plainReader, say } from './say.ts';
import { lines, type Text } from './text.ts';

/** An attempt to send failed; `outcome` says what happens next. Only the pipeline retries. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  readonly outcome: DeliveryFailure;
  /** The message for a person who waits for the outcome; it is translated into their language. */
  readonly text: Text;

  // biome-ignore lint/complexity/useMaxParams: as Error has it: its options come last
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

/** A person's request cannot be done as it was asked. The message is shown to them in their language. */
export class UserError extends InputError {
  override readonly name = 'UserError';
  /** What is wrong, as a heading: `Unknown market "bitcon"`. */
  readonly title: Text | undefined;
  /** The text below the heading: the remedy, or the whole message if there is no heading. */
  readonly remedy: Text;
  /** Heading and remedy. */
  readonly text: Text;

  constructor(remedy: Text, options: ErrorOptions & { readonly title?: Text | undefined } = {}) {
    const text = lines(options.title, remedy);
    super(say(text, plainReader), options);
    this.title = options.title;
    this.remedy = remedy;
    this.text = text;
  }
}
