import type { Caller } from '../shell/command.ts';

/** A number's past, for whoever draws it. Times are market ms. */
export interface PastSeries {
  /** As in `alert metrics`. */
  readonly metric: string;
  /** Null: it is the whole market's. */
  readonly symbol: string | null;
  /** What it is called within a sentence, in the reader's language: `24 h change`. */
  readonly name: string;
  readonly unit: '' | '%' | 'USD' | 'USDT';
  /** What it is called in prose: `BTC`; null: the whole market. */
  readonly market: string | null;
  /** As asked; the points may begin later, where nothing is known before. */
  readonly window: { readonly from: number; readonly to: number };
  /** As cards say it: `simulated, 240 ×`. */
  readonly source: string;
  /** Oldest first; null where nothing is known since the point before, for so long that no line may be drawn. */
  readonly points: readonly (readonly [at: number, value: number | null])[];
}

export interface SeriesAsked {
  readonly metric: string;
  /** Left out: the market with the largest volume. */
  readonly symbol?: string | undefined;
  readonly days: number;
}

/** Throws UserError where there is no such metric or market, or ApiError. */
export type ReadSeries = (asked: SeriesAsked, caller: Caller) => Promise<PastSeries>;
