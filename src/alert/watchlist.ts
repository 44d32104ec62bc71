import type { Receiver } from './subscription.ts';

/** The symbols that a receiver follows, in its own order. A receiver has at most one watchlist. */
export interface Watchlist {
  readonly receiver: Receiver;
  readonly symbols: readonly string[];
  /** The file that defines this watchlist; only a change of the file changes it. Absent if no file defines it. */
  readonly file?: string;
}
