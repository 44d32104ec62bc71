import { InputError } from '../runtime/errors.ts';
import { plainReader, say } from './say.ts';
import { lines, type Text } from './text.ts';

/** A receiver's turn, or its platform's: what became of one attempt to send. Only the pipeline retries. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  readonly outcome: DeliveryFailure;
  /** For a person who waits for it, in their language. */
  readonly text: Text;

  // biome-ignore lint/complexity/useMaxParams: as Error has it: its options come last
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
  | { kind: 'missing' } // it is not found: it may come back, and is tried for three days before its subscriptions end
  | { kind: 'gone' } // the receiver is no more, by its platform's final word: its subscriptions end
  | { kind: 'moved'; to: Record<string, unknown> } // follow and remember
  | { kind: 'rejected' }; // this message will never be taken

/** The person's turn: what they asked cannot be done as asked. They are shown it in their language. */
export class UserError extends InputError {
  override readonly name = 'UserError';
  /** What is wrong, as a heading: `Unknown market "bitcon"`. */
  readonly title: Text | undefined;
  /** What is under the heading: the remedy, or all of it where there is no heading of its own. */
  readonly remedy: Text;
  /** Both. */
  readonly text: Text;

  constructor(remedy: Text, options: ErrorOptions & { readonly title?: Text | undefined } = {}) {
    const text = lines(options.title, remedy);
    super(say(text, plainReader), options);
    this.title = options.title;
    this.remedy = remedy;
    this.text = text;
  }
}
