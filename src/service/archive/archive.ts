import type { Columns } from './columns.ts';
import type { Derivation } from './derivation.ts';

/**
 * The rows that the archive keeps. Times are market ms, UTC. Every read is bounded above by `to`, so that a handler
 * that answers for a past moment sees the data of that moment. Writes are idempotent: a row written twice is one row.
 */
export interface Candle {
  readonly symbol: string;
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** Volume in base units; takerBuy is the part bought by takers. */
  readonly volume: number;
  readonly takerBuy: number;
  /** Volume in quote units (USD). */
  readonly quoteVolume: number;
}

/** A settled funding rate, a fraction per settlement. */
export interface SettledFunding {
  readonly symbol: string;
  readonly time: number;
  readonly rate: number;
}

export interface OpenInterest {
  readonly symbol: string;
  readonly time: number;
  readonly contracts: number;
  readonly valueUsd: number;
}

export interface Mark {
  readonly symbol: string;
  readonly time: number;
  readonly markPrice: number;
  readonly indexPrice: number;
  /** The running rate: what the next settlement would be, a fraction. */
  readonly estFunding: number;
}

export interface Ratio {
  readonly symbol: string;
  readonly time: number;
  /** Share of longs, 0 to 1; the shorts' is the rest. */
  readonly longRatio: number;
}

/** Top of book averaged over the minute that ends at `time`. */
export interface Book {
  readonly symbol: string;
  readonly time: number;
  readonly bidPrice: number;
  readonly askPrice: number;
  /** (bid − ask) / (bid + ask) of the quantities, −1 to 1. */
  readonly imbalance: number;
}

/** `symbol` is the currency, BTC or ETH. Open interest in coins, implied volatility in percent. */
export interface OptionsSummary {
  readonly symbol: string;
  readonly time: number;
  readonly callOI: number;
  readonly putOI: number;
  readonly maxPain: number;
  readonly avgIV: number;
}

/** One value of a named series: `sp500`, `gold`, those of perpetuals on them (MacroPerpetual), `dxy`, `broad_dollar`, `vix`, `fear_greed` (0 to 100), `stablecoins` (USD). */
export interface Observation {
  readonly symbol: string;
  readonly time: number;
  readonly value: number;
}

/** A mark of a venue other than the primary one. `symbol` names the venue and its market: see marketAt. */
export interface VenueMark extends Mark {
  /** Hours between two settlements; 0 if the venue does not say. */
  readonly fundingHours: number;
}

/** The published regime of one closed hour of a market. Never rewritten. */
export interface RegimeRow {
  readonly symbol: string;
  /** Open time of the hour that the regime was computed from; the row is published at the close of that hour. */
  readonly time: number;
  readonly riskOn: number;
  readonly riskOff: number;
  /** 1: RISK_ON, 0: TRANSITION, −1: RISK_OFF. */
  readonly state: number;
  /** The last state that was not 0; 0 if there was none. */
  readonly trend: number;
  readonly volatilityPercentile: number;
  /** Version of the model that computed the row. */
  readonly model: number;
}

/** Series with one row per (symbol, time). */
export interface SeriesRows {
  candles5m: Candle;
  candles1h: Candle;
  candles1d: Candle;
  funding: SettledFunding;
  openInterest: OpenInterest;
  marks: Mark;
  topRatio: Ratio;
  globalRatio: Ratio;
  book: Book;
  options: OptionsSummary;
  observations: Observation;
  venueMarks: VenueMark;
  /** Open interest at venues other than the primary one; `symbol` names the venue and its market. */
  venueOpenInterest: OpenInterest;
  venueFunding: SettledFunding;
  regimes: RegimeRow;
}
export type SeriesName = keyof SeriesRows;

export interface Liquidation {
  readonly symbol: string;
  readonly time: number;
  readonly side: 'LONG' | 'SHORT';
  readonly price: number;
  readonly quantity: number;
}

export interface QualityRow {
  readonly time: number;
  readonly score: number;
  readonly grade: 'A' | 'B' | 'C' | 'D' | 'F';
  readonly status: 'HEALTHY' | 'DEGRADED' | 'DOWN';
  readonly summary: string;
}

/** The values that the audit verifies at a venue. Each is published by an endpoint (auditing/values.ts). */
export type CheckedValue =
  | 'mark'
  | 'funding'
  | 'running_funding'
  | 'open_interest'
  | 'volume_24h'
  | 'liquidations';

/** Why a check has nothing to compare with. */
export type CheckMiss =
  | 'CANNOT_BE_ASKED'
  | 'NOT_PUBLISHED'
  | 'REFUSED'
  | 'UNREACHABLE'
  | 'TOO_SLOW'
  | 'NO_SUCH_ROW';

/** One check of an audit: a published value of one symbol, compared in one round with the answer of a venue. */
export interface DataCheck {
  readonly time: number;
  readonly value: CheckedValue;
  readonly symbol: string;
  /** Display name of the venue that was asked. */
  readonly venue: string;
  /** PRIMARY: the venue that the value comes from. Only its answers count in the quality of a feed. */
  readonly role: 'PRIMARY' | 'SECOND';
  readonly verdict: 'WITHIN' | 'BEYOND' | 'LATE' | 'MISSED' | 'SHOWN';
  /** The published value and the venue's, each with the time that it describes. Null if the check was missed. */
  readonly published: number | null;
  readonly publishedAt: number | null;
  readonly asked: number | null;
  readonly askedAt: number | null;
  /** Relative to the larger value, signed: −2 to 2. `allowed` is the largest that is no fault; null if only shown. */
  readonly difference: number | null;
  readonly allowed: number | null;
  /** Null unless the check was missed. */
  readonly reason: CheckMiss | null;
  readonly detail: string | null;
}

/** The state of one feed: `problem` is null while the feed answers. */
export interface FeedState {
  readonly feed: string;
  readonly lastUpdate: number | null;
  readonly problem: string | null;
}

/** Market ms, both ends included. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

export interface Archive {
  write<Name extends SeriesName>(series: Name, rows: readonly SeriesRows[Name][]): Promise<void>;
  /** Returns the rows with from ≤ time ≤ to, ascending. */
  read<Name extends SeriesName>(
    series: Name,
    given: { readonly symbol: string; readonly window: TimeRange },
  ): Promise<SeriesRows[Name][]>;
  /** Like `read` or `last`, for computations over many rows: an archive in memory creates no object per row. */
  columns<Name extends SeriesName>(
    series: Name,
    given: { readonly symbol: string } & (
      | { readonly window: TimeRange }
      | { readonly count: number; readonly to: number }
    ),
  ): Promise<Columns<SeriesRows[Name]>>;
  /** Returns the newest `count` rows at or before `to`, ascending. */
  last<Name extends SeriesName>(
    series: Name,
    given: { readonly symbol: string; readonly count: number; readonly to: number },
  ): Promise<SeriesRows[Name][]>;
  /** Returns the newest row of every symbol at or before `to`. */
  latest<Name extends SeriesName>(series: Name, to: number): Promise<SeriesRows[Name][]>;
  /** Returns the rows of every symbol with from ≤ time ≤ to, by symbol, then time. */
  readAll<Name extends SeriesName>(series: Name, window: TimeRange): Promise<SeriesRows[Name][]>;

  /**
   * Finds where rows are missing in from ≤ time ≤ to of a series with a row every `step` ms. Returns spans of missing
   * times, ascending, both ends included; the whole window if there is no row at all. `irregular`: rows may lie closer
   * than `step`; rows are then also missing where a distance exceeds the smaller distance beside it by more than half.
   */
  gaps(
    series: SeriesName,
    given: {
      readonly symbol: string;
      readonly window: TimeRange & { readonly step: number; readonly irregular?: boolean };
    },
  ): Promise<TimeRange[]>;

  writeLiquidations(rows: readonly Liquidation[]): Promise<void>;
  /**
   * Returns the liquidations with after < time ≤ to, newest first. `venues`: those at these venues too, whose `symbol` names the
   * venue and its market (marketAt).
   */
  liquidations(query: {
    readonly venues?: readonly string[] | undefined;
    readonly symbol?: string | undefined;
    readonly after?: number | undefined;
    readonly to: number;
    readonly limit: number;
  }): Promise<Liquidation[]>;

  writeQuality(row: QualityRow): Promise<void>;
  /** Returns the rows with from ≤ time ≤ to, ascending. */
  quality(window: TimeRange): Promise<QualityRow[]>;

  writeDataChecks(rows: readonly DataCheck[]): Promise<void>;
  /** Returns the rows with from ≤ time ≤ to, ascending; the rows of one round by value, symbol and venue. */
  audits(window: TimeRange): Promise<DataCheck[]>;

  writeFeed(state: FeedState): Promise<void>;
  feeds(): Promise<FeedState[]>;

  /** Forgets the rows kept in memory, if there are any, because their tables were exchanged. */
  forget?(): void;
  /** Deletes rows older than their table keeps rows (series.ts), counted back from `now`; on TimescaleDB see hypertables.ts. */
  prune(now: number): Promise<void>;

  /** Small JSON documents: the market clock, a model, a backfill's cursor. */
  put(key: string, value: unknown): Promise<void>;
  get(key: string): Promise<unknown>;
  /** Resolves when the database has answered. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The archive as handlers use it: they can read it and not change it. */
export interface ArchiveReader
  extends Pick<
    Archive,
    'read' | 'columns' | 'last' | 'latest' | 'readAll' | 'liquidations' | 'quality' | 'audits' | 'get'
  > {
  /** Present if the archive caches computed rows. Callers use `derived` of derivation.ts, which works without it too. */
  derived?<Name extends SeriesName, Made>(
    series: Name,
    given: {
      readonly symbol: string;
      readonly window: TimeRange;
      readonly derivation: Derivation<SeriesRows[Name], Made>;
    },
  ): Promise<Made[]>;
}
