import { day, hour, minute } from '../../runtime/units.ts';
import type { SeriesName, SeriesRows } from './archive.ts';

type Columns<Row> = readonly Exclude<keyof Row & string, 'symbol' | 'time'>[];

interface SeriesDescription<Row> {
  readonly table: string;
  /** Numeric columns besides (symbol, time), in the order they are stored. */
  readonly columns: Columns<Row>;
  /** True if `symbol` names a venue and its market (identity.ts): the table has a column for each of the two. */
  readonly byVenue?: boolean;
  /** What a row describes, ms from its time on: it is known only at the end. Absent: a row is of its moment. */
  readonly length?: number;
  /** How long rows are kept, ms of market time: the longest window that an endpoint offers, plus some slack. */
  readonly keepFor: number;
  /**
   * For a series with many rows: the market time in ms that one chunk covers if TimescaleDB keeps the table (hypertables.ts).
   * A chunk holds some 1,000 rows of a market, which are compressed together, and is a small part of `keepFor`.
   */
  readonly chunk?: number;
  /** A row that was written is never replaced. */
  readonly final?: boolean;
}

const twoYears = 2 * 365 * day + 60 * day;

/** A new series is added here, to archive.ts's SeriesRows and in a migration; all reads and writes follow from these. */
export const seriesDescriptions: { readonly [Name in SeriesName]: SeriesDescription<SeriesRows[Name]> } = {
  candles5m: {
    table: 'candles_5m',
    columns: ['open', 'high', 'low', 'close', 'volume', 'takerBuy', 'quoteVolume'],
    length: 5 * minute,
    // The 30 days of a preview, the day before them, and what the slowest indicator of 15 minutes has to have seen.
    keepFor: 37 * day,
    chunk: 4 * day,
  },
  candles1h: {
    table: 'candles_1h',
    columns: ['open', 'high', 'low', 'close', 'volume', 'takerBuy', 'quoteVolume'],
    length: hour,
    keepFor: twoYears,
    chunk: 60 * day,
  },
  candles1d: {
    table: 'candles_1d',
    columns: ['open', 'high', 'low', 'close', 'volume', 'takerBuy', 'quoteVolume'],
    length: day,
    keepFor: twoYears,
  },
  funding: { table: 'funding', columns: ['rate'], keepFor: twoYears },
  openInterest: {
    table: 'open_interest',
    columns: ['contracts', 'valueUsd'],
    keepFor: 32 * day,
    chunk: 4 * day,
  },
  marks: {
    table: 'marks',
    columns: ['markPrice', 'indexPrice', 'estFunding'],
    keepFor: 10 * day,
    chunk: 2 * day,
  },
  topRatio: { table: 'top_ratio', columns: ['longRatio'], keepFor: 32 * day, chunk: 8 * day },
  globalRatio: { table: 'global_ratio', columns: ['longRatio'], keepFor: 32 * day, chunk: 8 * day },
  book: { table: 'book', columns: ['bidPrice', 'askPrice', 'imbalance'], keepFor: 10 * day, chunk: day },
  options: { table: 'options', columns: ['callOI', 'putOI', 'maxPain', 'avgIV'], keepFor: 100 * day },
  observations: { table: 'observations', columns: ['value'], keepFor: twoYears },
  venueMarks: {
    table: 'venue_marks',
    columns: ['markPrice', 'indexPrice', 'estFunding', 'fundingHours'],
    byVenue: true,
    keepFor: 10 * day,
    chunk: 2 * day,
  },
  venueOpenInterest: {
    table: 'venue_open_interest',
    columns: ['contracts', 'valueUsd'],
    byVenue: true,
    keepFor: 10 * day,
    chunk: 2 * day,
  },
  venueFunding: { table: 'venue_funding', columns: ['rate'], byVenue: true, keepFor: 32 * day },
  regimes: {
    table: 'market_regimes',
    columns: ['riskOn', 'riskOff', 'state', 'trend', 'volatilityPercentile', 'model'],
    length: hour,
    keepFor: twoYears,
    final: true,
  },
};

export const liquidationsKept = 100 * day;
export const liquidationsChunk = 10 * day;
export const qualityKept = 32 * day;
export const auditsKept = 30 * day;
