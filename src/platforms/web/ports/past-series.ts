import { z } from 'zod';
import type { Caller } from '../../../shell/command.ts';

/** The history of a metric, for drawing a chart. Times are market ms. */
export interface PastSeries {
  readonly unit: '' | '%' | 'USD' | 'USDT';
  /** Given if each value holds until the next. */
  readonly shape?: 'steps';
  /** The requested time range. The points may begin later if no earlier data is known. */
  readonly window: { readonly from: number; readonly to: number };
  /** The source of the data, in the same words as on cards: `simulated, 240 ×`. */
  readonly source: string;
  /** Oldest first. A null marks a gap in the data that is too long to draw a line across. */
  readonly points: readonly (readonly [at: number, value: number | null])[];
}

export const seriesQuery = z.object({
  metric: z.string().max(60),
  /** Absent: the market with the largest volume. */
  symbol: z.string().trim().toUpperCase().max(30).optional(),
  days: z.coerce.number().int().min(1).max(30).default(30),
});

/** Reads a metric's history. Throws UserError if the metric or the market does not exist, or ApiError. */
export type ReadSeries = (request: z.output<typeof seriesQuery>, caller: Caller) => Promise<PastSeries>;
