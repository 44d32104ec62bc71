import { z } from 'zod';
import type { Observation } from '../archive/archive.ts';
import { rowsOf } from './rows.ts';
import { openUpstream, type UpstreamOptions } from './upstream.ts';

/** Schema of Unix seconds as text; gives ms. */
const seconds = z
  .string()
  .regex(/^\d+$/, 'must be seconds as text')
  .transform((text) => Number(text) * 1_000);

export const fearGreedIndex = z
  .object({
    data: rowsOf(
      z.object({
        value: z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(0).max(100)),
        timestamp: seconds,
      }),
    ),
  })
  .transform(({ data }) =>
    data.rows
      .map(({ value, timestamp }): Observation => ({ symbol: 'fear_greed', time: timestamp, value }))
      .reverse(),
  );

/** Schema of the stablecoin chart. On some days the chart has no dollar value: such rows are dropped as invalid. */
export const stablecoinChart = rowsOf(
  z.object({ date: seconds, totalCirculatingUSD: z.object({ peggedUSD: z.number().min(0) }) }).transform(
    ({ date, totalCirculatingUSD }): Observation => ({
      symbol: 'stablecoins',
      time: date,
      value: totalCirculatingUSD.peggedUSD,
    }),
  ),
);

export type FearGreed = ReturnType<typeof openFearGreed>;

/** Opens the client of alternative.me: one value a day, 0 (fear) to 100 (greed). */
export function openFearGreed(options: Omit<UpstreamOptions, 'name'>) {
  const { get, close } = openUpstream({ ...options, name: 'fear-greed' });
  return {
    close,
    /** Returns the newest `days` values, ascending. */
    index: (days: number): Promise<Observation[]> =>
      get('/fng/', { schema: fearGreedIndex, query: { limit: days } }),
  };
}

export type Stablecoins = ReturnType<typeof openStablecoins>;

/** Opens the client of DefiLlama: USD value of the stablecoins in circulation, one value a day. */
export function openStablecoins(options: Omit<UpstreamOptions, 'name'>) {
  const { get, close } = openUpstream({ ...options, name: 'stablecoins' });
  return {
    close,
    /** Returns the whole history, ascending. */
    supply: (): Promise<Observation[]> =>
      get('/stablecoincharts/all', { schema: stablecoinChart.transform(({ rows }) => rows) }),
  };
}
