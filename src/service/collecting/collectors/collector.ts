import type { MarketClock, WallClock } from '../../../runtime/clock.ts';
import type { Archive, Liquidation, SeriesName, SeriesRows } from '../../archive/archive.ts';
import type { MacroProvider } from '../../exchanges/macro.ts';
import { keepStream, type StreamOptions } from '../../exchanges/stream.ts';
import type { Exchanges } from '../../venues/open-exchanges.ts';
import type { OpenVenue } from '../../venues/others.ts';
import type { PageRequest, StreamRole, Venue } from '../../venues/venue.ts';
import type { PriceTable } from '../price-table.ts';
import type { Universe } from '../universe.ts';

/**
 * What a collector works with. The listeners of the service are notified of everything it writes. Histories are of the
 * followed markets (`symbols`); of the listed ones only the newest is kept (`learn`).
 */
export interface CollectorContext
  extends Pick<Universe, 'symbols' | 'listed' | 'learn' | 'applyList' | 'aheadBy'> {
  readonly exchanges: Exchanges;
  /** The venues other than the primary one; empty if only the primary venue is read. */
  readonly others: readonly OpenVenue[];
  readonly macro: MacroProvider | undefined;
  readonly archive: Archive;
  readonly prices: PriceTable;
  readonly clock: MarketClock;
  readonly wall: WallClock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Writes the rows whose values can be (possible.ts). */
  write<Name extends SeriesName>(series: Name, rows: readonly SeriesRows[Name][]): Promise<void>;
  writeLiquidations(rows: readonly Liquidation[]): Promise<void>;
  /** Sets the feed's state for a stream, which has no rounds: data received up to market time `at`, or a problem. */
  report(state: { readonly at: number } | { readonly problem: string }): void;
}

/** The past of one series, which an upstream returns in pages. Only gaps in the archive are fetched. */
interface History<Name extends SeriesName = SeriesName> {
  readonly series: Name;
  /** The longest time between two rows, ms. */
  readonly step: number;
  /** True if rows may be closer than `step`: each symbol has an interval of its own, which may change. */
  readonly irregular?: boolean;
  /** True if a row is published some time after its timestamp, for all symbols at about the same time. */
  readonly late?: boolean;
  /** The most steps that one page may span. */
  readonly pageSteps: number;
  /** How much of the past is kept without gaps, ms. */
  readonly wanted: number;
  /** Returns how much of the symbol's past must be present before the service is ready, ms. */
  needed(symbol: string): number;
  /** The series' symbols. Absent: the tracked symbols. */
  readonly symbols?: readonly string[];
  fetch(symbol: string, page: PageRequest, context: CollectorContext): Promise<readonly SeriesRows[Name][]>;
}

/** Turns a history into an `AnyHistory`, which hides the row type so that histories of different series fit in one list. */
export const defineHistory = <Name extends SeriesName>(history: History<Name>): AnyHistory => ({
  ...history,
  async fill(symbol, page, context) {
    const rows = await history.fetch(symbol, page, context);
    await context.write(history.series, rows);
    return rows.length;
  },
});

export interface AnyHistory extends Omit<History, 'fetch'> {
  /** Fetches a page, stores its rows and returns how many there were. */
  fill(symbol: string, page: PageRequest, context: CollectorContext): Promise<number>;
}

export interface Round {
  /** Market ms, by the exchange's clock. */
  readonly now: number;
  /** Market ms of the last round that succeeded in this process. */
  readonly since: number | undefined;
  /** Fetches, for every symbol, the rows newer than its newest stored row, at most one page. Returns the same as `collect`. */
  catchUp(): Promise<string | undefined>;
}

/** One feed. A failure is recorded in the feed's own state and does not stop other feeds. */
export interface Collector {
  /** The collector's name, the same as the name of its file. */
  readonly name: string;
  /** Market ms between two rounds. Rounds are aligned to multiples of this. Absent: one round at the start. */
  readonly every?: number;
  /** Whether the primary venue's roles or the other venues offer anything to collect. Absent: always true. */
  feedsOn?(roles: Venue['roles'], others: readonly OpenVenue[]): boolean;
  /** True if the service cannot answer without this feed: readiness waits for it, however long it fails. */
  readonly required?: boolean;
  histories?(context: CollectorContext): readonly AnyHistory[];
  /** Reads the present and returns what is wrong with a part of it, if anything. Absent: each round calls `catchUp`. */
  collect?(context: CollectorContext, round: Round): Promise<string | undefined>;
  /** Listens to a stream until the signal aborts. Called after the first round, and again if it rejects. */
  listen?(context: CollectorContext): Promise<void>;
}

/** Keeps a stream of the primary venue alive until the signal. Where the venue is simulated, there is none. */
export async function hear(
  role: Omit<StreamRole, 'read'>,
  { exchanges: { streams }, symbols, wall, random, signal }: CollectorContext,
  given: Pick<StreamOptions, 'silence' | 'onMessage' | 'onProblem'>,
): Promise<void> {
  if (streams === undefined) return;
  const { root, proxy } = streams;
  await keepStream({
    ...{ proxy, wall, random, signal, ping: role.ping, ...given },
    url: role.url(root),
    subscriptions: () => role.subscribe?.(symbols()) ?? [],
  });
}

export const defineCollector = (collector: Collector): Collector => collector;
