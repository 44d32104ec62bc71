import type { MarketClock } from '../runtime/clock.ts';
import type { Venue } from './venues/venue.ts';

/** What answers are made from beside the archive: as whoever collects has it, or one who follows it. */
export interface Present {
  readonly clock: MarketClock;
  /** Market seconds that pass in a wall second now. */
  pace(): number;
  /** The primary venue and those asked beside it; none before the first has answered. */
  asked(): readonly Venue[];
  /** Tracked symbols. */
  universe(): readonly string[];
  /** How much of the past is there, 0 to 1. */
  progress(): number;
  /** The default windows and 90 days of regime are there. */
  ready(): boolean;
}
