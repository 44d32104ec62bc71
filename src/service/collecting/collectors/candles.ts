import type { CandleInterval } from '../../../contract/candle-interval.ts';
import { day, hour, minute } from '../../../runtime/units.ts';
import { type CollectorContext, defineCollector, defineHistory } from './collector.ts';

const twoYears = 2 * 365 * day;

const candles = (
  { exchanges: { venue, markets } }: CollectorContext,
  {
    series,
    interval,
    step,
    past,
    maxPageSteps = Number.POSITIVE_INFINITY,
    needed,
  }: {
    readonly series: 'candles5m' | 'candles1h' | 'candles1d';
    readonly interval: CandleInterval;
    readonly step: number;
    readonly past: number;
    readonly maxPageSteps?: number;
    readonly needed: (symbol: string) => number;
  },
) => {
  const { rows = 0, kept = Number.POSITIVE_INFINITY } = venue.roles.candles ?? {};
  const wanted = Math.min(past, kept * step);
  return defineHistory({
    series,
    step,
    pageSteps: Math.min(rows, maxPageSteps),
    wanted,
    needed: (symbol) => Math.min(wanted, needed(symbol)),
    // The caller ends pages at the last closed candle: a running candle would be stored as if it were complete.
    fetch: async (symbol, page) => (await markets.candles?.(symbol, { interval, page })) ?? [],
  });
};

/**
 * Collects candles of five minutes, an hour and a day, closed ones only. For a venue that does not publish the volume bought by takers, half
 * of the volume is stored as that.
 */
export default defineCollector({
  name: 'candles',
  every: minute,
  required: true,
  feedsOn: ({ candles }) => candles !== undefined,
  histories: (context) => [
    // The regime needs Bitcoin's hours of the 90 published days and of the window before them that its model is trained on.
    candles(context, {
      series: 'candles1h',
      interval: '1h',
      step: hour,
      past: twoYears,
      needed: (symbol) => (symbol === 'BTCUSDT' ? twoYears : 8 * day),
    }),
    candles(context, {
      ...{ series: 'candles1d', interval: '1d', step: day, past: twoYears },
      maxPageSteps: 366,
      needed: () => 0,
    }),
    // Before these are here, the venue is asked for what people want to see (run/ask-candles.ts).
    candles(context, {
      ...{ series: 'candles5m', interval: '5m', step: 5 * minute, past: 36 * day },
      needed: () => 0,
    }),
  ],
});
