import type { MarketClock } from '../../runtime/clock.ts';
import type { FeedState } from '../archive/archive.ts';
import type { AskTiers } from '../collecting/margin-tiers.ts';
import type { NewestPrices } from '../collecting/price-table.ts';
import type { ListedMarkets } from '../collecting/universe.ts';
import type { Venue } from '../venues/venue.ts';
import type { AskCandles } from './handler.ts';

/**
 * The data besides the archive that responses are made from. In the collecting process it is its own state; a process that
 * follows reads the state of the collecting one.
 */
export interface Present {
  readonly clock: MarketClock;
  /** Returns the number of market seconds that currently pass in a wall second. */
  pace(): number;
  /** Returns the primary venue and the others that are asked; empty until a primary venue has been chosen. */
  venues(): readonly Venue[];
  universe(): readonly string[];
  /** Returns every market that can be asked about, followed or not, the largest volume first. */
  listed(): ListedMarkets;
  /** Returns the newest prices; undefined before a process collects or follows. */
  prices(): NewestPrices | undefined;
  /** Resolves when a listed market is followed, with what answers need of its past if that can be had now. */
  ask(symbol: string): Promise<void>;
  /** Returns how much of the past is loaded, 0 to 1. */
  progress(): number;
  /** Returns whether the default windows of the endpoints and 90 days of regimes are available. */
  ready(): boolean;
  /** Returns whether the state has stood still for so long that no process can be collecting. */
  stale(): boolean;
  /** Reads the state of the feeds. None of them is fresh while the present is stale. */
  feeds(): Promise<readonly FeedState[]>;
  /** Absent in a process that follows. */
  readonly askCandles?: AskCandles;
  readonly askTiers?: AskTiers;
}
