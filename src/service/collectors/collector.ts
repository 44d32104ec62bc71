import type { MarketClock, WallClock } from '../../runtime/clock.ts';
import type { Archive, Liquidation, SeriesName, SeriesRows } from '../archive/archive.ts';
import type { Exchanges } from '../exchanges/exchanges.ts';
import type { MacroProvider } from '../exchanges/macro.ts';
import type { OpenVenue } from '../venues/others.ts';
import type { PageRequest, Venue } from '../venues/venue.ts';

/** What a collector works with. Its writes are told to whoever listens. */
export interface CollectorContext {
  readonly exchanges: Exchanges;
  /** The venues beside the primary one; none where only that is asked. */
  readonly others: readonly OpenVenue[];
  readonly macro: MacroProvider | undefined;
  readonly archive: Archive;
  readonly clock: MarketClock;
  readonly wall: WallClock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** The universe now, by volume. */
  symbols(): readonly string[];
  write<Name extends SeriesName>(series: Name, rows: readonly SeriesRows[Name][]): Promise<void>;
  writeLiquidations(rows: readonly Liquidation[]): Promise<void>;
  /** For streams, which no round reports for: what was heard up to the market time `at`, or why nothing is. */
  report(state: { readonly at: number } | { readonly problem: string }): void;
}

/** The past of one series, which an upstream answers in pages. Gaps in the archive are what is fetched. */
export interface History<Name extends SeriesName = SeriesName> {
  readonly series: Name;
  /** Ms between two rows, at most. */
  readonly step: number;
  /** Rows may lie closer than `step`, each symbol's in an interval of its own, which may change. */
  readonly irregular?: boolean;
  /** Rows appear some time after the moment they stand at, all symbols' at about the same time. */
  readonly late?: boolean;
  /** Steps that one page spans at most. */
  readonly pageSteps: number;
  /** Ms of the past that are kept filled. */
  readonly wanted: number;
  /** Ms of the past without which the service is not ready. */
  needed(symbol: string): number;
  /** The universe where not said. */
  readonly symbols?: readonly string[];
  fetch(
    symbol: string,
    given: { readonly page: PageRequest; readonly context: CollectorContext },
  ): Promise<readonly SeriesRows[Name][]>;
}

/** One row per (symbol, time) of some series; a collection of histories holds them without their row type. */
export const defineHistory = <Name extends SeriesName>(history: History<Name>): AnyHistory => ({
  ...history,
  async fill(symbol, { page, context }) {
    const rows = await history.fetch(symbol, { page, context });
    await context.write(history.series, rows);
    return rows.length;
  },
});

export interface AnyHistory extends Omit<History, 'fetch'> {
  /** Fetches a page and keeps it; how many rows there were. */
  fill(
    symbol: string,
    given: { readonly page: PageRequest; readonly context: CollectorContext },
  ): Promise<number>;
}

export interface Round {
  /** Market ms, by the exchange's clock. */
  readonly now: number;
  /** Market ms of the last round that succeeded in this process. */
  readonly since: number | undefined;
  /** Fetches, for every symbol, what is newer than its newest row: at most one page each. As `collect`. */
  catchUp(): Promise<string | undefined>;
}

/** One feed. A feed that fails says so in its own state and stops no other. */
export interface Collector {
  /** After its file. */
  readonly name: string;
  /** Market ms between two rounds, aligned to multiples of it; absent: one round at the start. */
  readonly every?: number;
  /** Of the venue's, or of those beside it: without it there is nothing to collect. */
  feedsOn?(roles: Venue['roles'], others: readonly OpenVenue[]): boolean;
  /** Without it nothing can be answered: readiness waits for it however long it fails. */
  readonly required?: boolean;
  histories?(context: CollectorContext): readonly AnyHistory[];
  /** Reads the present; gives back what is wrong with a part of it. Absent: each round catches up the histories. */
  collect?(context: CollectorContext, round: Round): Promise<string | undefined>;
  /** Listens until the signal, from when the first round is over. */
  listen?(context: CollectorContext): Promise<void>;
}

export const defineCollector = (collector: Collector): Collector => collector;
