import type { Receiver } from './subscription.ts';

/** What a place follows, in its order; a place has one at the most. */
export interface Watchlist {
  readonly receiver: Receiver;
  readonly symbols: readonly string[];
  /** The file that has it, which alone changes it; absent: it is the place's own. */
  readonly file?: string;
}

/** As many symbols as one holds. */
export const mostFollowed = 100;
