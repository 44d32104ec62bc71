import type { Caller } from '../../../shell/command.ts';

/** The history of a metric, for drawing a chart. Times are market ms. */
export interface PastSeries {
  /** The metric's name, as the command `alert metrics` lists it. */
  readonly metric: string;
  /** Null if the metric is about the whole market. */
  readonly symbol: string | null;
  /** The metric's name within a sentence, in the reader's language: `24 h change`. */
  readonly name: string;
  readonly unit: '' | '%' | 'USD' | 'USDT';
  /** Given if each value holds until the next. */
  readonly shape?: 'steps';
  /** The market's name in prose: `BTC`; null: the whole market. */
  readonly market: string | null;
  /** The requested time range. The points may begin later if no earlier data is known. */
  readonly window: { readonly from: number; readonly to: number };
  /** The source of the data, in the same words as on cards: `simulated, 240 ×`. */
  readonly source: string;
  /** Oldest first. A null marks a gap in the data that is too long to draw a line across. */
  readonly points: readonly (readonly [at: number, value: number | null])[];
}

interface SeriesRequest {
  readonly metric: string;
  /** Absent: the market with the largest volume. */
  readonly symbol?: string | undefined;
  readonly days: number;
}

/** Reads a metric's history. Throws UserError if the metric or the market does not exist, or ApiError. */
export type ReadSeries = (request: SeriesRequest, caller: Caller) => Promise<PastSeries>;
