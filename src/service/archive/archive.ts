import type { Derivation } from '../analytics/derivation.ts';
import type { Columns } from './columns.ts';

/**
 * The time series kept. Times are market ms, UTC. Every read is bounded above by `to`, so that a handler asked
 * about a past moment sees what was there then. Writes are idempotent: the same row twice is one row.
 */
export interface Candle {
  readonly symbol: string;
  /** Open time. */
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** In base units; takerBuy is the part bought by takers. */
  readonly volume: number;
  readonly takerBuy: number;
  /** In quote units (USD). */
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

/** One value of a named series: `sp500`, `gold`, `dxy`, `broad_dollar`, `vix`, `fear_greed` (0 to 100), `stablecoins` (USD). */
export interface Observation {
  readonly symbol: string;
  readonly time: number;
  readonly value: number;
}

/** What a venue beside the primary one said. `symbol` is its market there: see marketAt. */
export interface VenueMark extends Mark {
  /** Between two settlements; 0 where the venue does not say. */
  readonly fundingHours: number;
}

/** Series with one row per (symbol, time). */
export interface SeriesRows {
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
  /** Of venues beside the primary one: `symbol` is a market there. */
  venueOpenInterest: OpenInterest;
  venueFunding: SettledFunding;
}
export type SeriesName = keyof SeriesRows;

export interface Liquidation {
  readonly symbol: string;
  readonly time: number;
  /** The liquidated side. */
  readonly side: 'LONG' | 'SHORT';
  readonly price: number;
  readonly quantity: number;
}

/** The published regime of one closed hour. Never rewritten. */
export interface RegimeRow {
  /** Open time of the hour it was concluded from; published at its close. */
  readonly time: number;
  readonly state: 'RISK_ON' | 'RISK_OFF' | 'TRANSITION';
  readonly label: 'ACCUMULATION' | 'MARKUP' | 'DISTRIBUTION';
  readonly probabilities: Readonly<Record<'RISK_ON' | 'RISK_OFF' | 'TRANSITION', number>>;
  readonly score: number;
  readonly multiplier: number;
  readonly volatility: 'LOW_VOL' | 'NORMAL_VOL' | 'HIGH_VOL';
  readonly volatilityPercentile: number;
  /** Version of the model that said so. */
  readonly model: string;
}

export interface QualityRow {
  readonly time: number;
  readonly score: number;
  readonly grade: 'A' | 'B' | 'C' | 'D' | 'F';
  readonly status: 'HEALTHY' | 'DEGRADED' | 'DOWN';
  readonly summary: string;
}

/** What the audit asks again: each is published by an endpoint (auditing/values.ts). */
export type AuditedValue =
  | 'mark'
  | 'funding'
  | 'running_funding'
  | 'open_interest'
  | 'volume_24h'
  | 'liquidations';

/** Why there is nothing to compare with. */
export type AuditMiss =
  | 'CANNOT_BE_ASKED'
  | 'NOT_PUBLISHED'
  | 'REFUSED'
  | 'UNREACHABLE'
  | 'TOO_SLOW'
  | 'NO_SUCH_ROW';

/** One published value of one symbol, asked again in one round. */
export interface AuditRow {
  /** Of the round. */
  readonly time: number;
  readonly value: AuditedValue;
  readonly symbol: string;
  /** Who was asked, as people read it. */
  readonly venue: string;
  /** PRIMARY: where the value comes from, and by whom alone a feed is judged. */
  readonly role: 'PRIMARY' | 'SECOND';
  readonly verdict: 'WITHIN' | 'BEYOND' | 'LATE' | 'MISSED' | 'SHOWN';
  /** Null where it is missed; so are those below. Each with the time that it is of. */
  readonly published: number | null;
  readonly publishedAt: number | null;
  readonly asked: number | null;
  readonly askedAt: number | null;
  /** Of the larger of the two, signed: −2 to 2; `allowed` is how much of it is no fault, null of what is shown alone. */
  readonly difference: number | null;
  readonly allowed: number | null;
  /** Of what is missed alone. */
  readonly reason: AuditMiss | null;
  readonly detail: string | null;
}

/** What is known of one feed: `problem` null while it answers. */
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
  /** from ≤ time ≤ to, ascending. */
  read<Name extends SeriesName>(
    series: Name,
    given: { readonly symbol: string; readonly window: { readonly from: number; readonly to: number } },
  ): Promise<SeriesRows[Name][]>;
  /** As `read` or `last`, for what computes with many: no object is made of a row where they are kept in memory. */
  columns<Name extends SeriesName>(
    series: Name,
    given: { readonly symbol: string } & (
      | { readonly window: TimeRange }
      | { readonly count: number; readonly to: number }
    ),
  ): Promise<Columns<SeriesRows[Name]>>;
  /** The newest `count` rows at or before `to`, ascending. */
  last<Name extends SeriesName>(
    series: Name,
    given: { readonly symbol: string; readonly count: number; readonly to: number },
  ): Promise<SeriesRows[Name][]>;
  /** The newest row of every symbol at or before `to`. */
  latest<Name extends SeriesName>(series: Name, to: number): Promise<SeriesRows[Name][]>;
  /** from ≤ time ≤ to of every symbol, by symbol, then time. */
  readAll<Name extends SeriesName>(
    series: Name,
    window: { readonly from: number; readonly to: number },
  ): Promise<SeriesRows[Name][]>;

  /**
   * Where rows are missing in from ≤ time ≤ to of a series with a row every `step` ms: spans of missing times,
   * ascending, both ends included; the whole window where there is no row at all. `irregular`: rows may lie closer;
   * then one is missing too where the distance to the next is wider than one of the distances beside it.
   */
  gaps(
    series: SeriesName,
    given: {
      readonly symbol: string;
      readonly window: {
        readonly from: number;
        readonly to: number;
        readonly step: number;
        readonly irregular?: boolean;
      };
    },
  ): Promise<TimeRange[]>;

  writeLiquidations(rows: readonly Liquidation[]): Promise<void>;
  /** after < time ≤ to, newest first. */
  liquidations(query: {
    readonly symbol?: string;
    readonly after?: number;
    readonly to: number;
    readonly limit: number;
  }): Promise<Liquidation[]>;

  /** Rows already there stay as they were. */
  writeRegime(rows: readonly RegimeRow[]): Promise<void>;
  /** from ≤ time ≤ to, newest first. */
  regimes(window: { readonly from: number; readonly to: number }): Promise<RegimeRow[]>;

  writeQuality(row: QualityRow): Promise<void>;
  /** Ascending. */
  quality(window: { readonly from: number; readonly to: number }): Promise<QualityRow[]>;

  writeAudits(rows: readonly AuditRow[]): Promise<void>;
  /** from ≤ time ≤ to, ascending; of one round by value, symbol and venue. */
  audits(window: TimeRange): Promise<AuditRow[]>;

  writeFeed(state: FeedState): Promise<void>;
  feeds(): Promise<FeedState[]>;

  /** Drops what is older than each series is kept (series.ts), counted back from `now`; on TimescaleDB see hypertables.ts. */
  prune(now: number): Promise<void>;

  /** Small JSON documents: the market clock, a model, a backfill's cursor. */
  put(key: string, value: unknown): Promise<void>;
  get(key: string): Promise<unknown>;
  close(): Promise<void>;
}

/** What handlers read, and none of them can change. */
export interface ArchiveReader
  extends Pick<
    Archive,
    | 'read'
    | 'columns'
    | 'last'
    | 'latest'
    | 'readAll'
    | 'liquidations'
    | 'regimes'
    | 'quality'
    | 'audits'
    | 'get'
  > {
  /** Of one that is watched: the same, unwatched, for what stays as it is while what was seen of it does. */
  readonly whole?: ArchiveReader;
  /** Where what is made of rows is made once and kept: derived.ts asks. */
  derived?<Name extends SeriesName, Made>(
    series: Name,
    given: {
      readonly symbol: string;
      readonly window: TimeRange;
      readonly derivation: Derivation<SeriesRows[Name], Made>;
    },
  ): Promise<Made[]>;
}
