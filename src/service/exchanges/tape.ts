import { z } from 'zod';
import type { Book, Liquidation, Observation, OptionsSummary, TimeRange } from '../archive/archive.ts';
import { openUpstream, type UpstreamOptions } from './upstream.ts';

const symbol = z.string();
const time = z.int();

const liquidations: z.ZodType<Liquidation[]> = z.array(
  z.object({ symbol, time, side: z.enum(['LONG', 'SHORT']), price: z.number(), quantity: z.number() }),
);
const books: z.ZodType<Book[]> = z.array(
  z.object({ symbol, time, bidPrice: z.number(), askPrice: z.number(), imbalance: z.number() }),
);
const options: z.ZodType<OptionsSummary[]> = z.array(
  z.object({ symbol, time, callOI: z.number(), putOI: z.number(), maxPain: z.number(), avgIV: z.number() }),
);
const observations: z.ZodType<Observation[]> = z.array(z.object({ symbol, time, value: z.number() }));

/** Client of the simulator's history of feeds that no exchange offers for backfill. Rows are the archive's, ascending. */
export type PastTape = ReturnType<typeof openTape>;

export function openTape(upstream: Omit<UpstreamOptions, 'name'>) {
  const { get, close } = openUpstream({ ...upstream, name: 'tape' });
  const span = ({ from, to }: TimeRange) => ({ startTime: from, endTime: to });
  return {
    close,
    /** Returns the first `limit` liquidations of the span, and any others in the same millisecond as the last of them. */
    liquidations: (page: TimeRange, limit: number) =>
      get('/tape/liquidations', { schema: liquidations, question: { query: { ...span(page), limit } } }),
    books: (of: string, page: TimeRange) =>
      get('/tape/book', { schema: books, question: { query: { symbol: of, ...span(page) } } }),
    options: (currency: string, page: TimeRange) =>
      get('/tape/options', { schema: options, question: { query: { currency, ...span(page) } } }),
    macro: (series: string, page: TimeRange) =>
      get('/tape/macro', { schema: observations, question: { query: { series, ...span(page) } } }),
  };
}
