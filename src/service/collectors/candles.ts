import { day, hour, minute } from '../../runtime/units.ts';
import type { Candle } from '../archive/archive.ts';
import { pageRows } from '../exchanges/binance.ts';
import { defineCollector, defineHistory } from './collector.ts';

const years = 2 * 365 * day;

const candles = ({
  series,
  interval,
  step,
  pageSteps,
  needed,
}: {
  readonly series: 'candles1h' | 'candles1d';
  readonly interval: '1h' | '1d';
  readonly step: number;
  readonly pageSteps: number;
  readonly needed: (symbol: string) => number;
}) =>
  defineHistory({
    series,
    step,
    pageSteps,
    wanted: years,
    needed,
    // Pages end at the last closed candle: a running one would be kept as if it were whole.
    fetch: (symbol, { page, context: { exchanges } }): Promise<Candle[]> =>
      exchanges.binance.candles(symbol, { interval, page }),
  });

/** Hourly and daily candles with taker buy volume, closed ones only. */
export default defineCollector({
  name: 'candles',
  every: minute,
  required: true,
  histories: () => [
    // 90 published days of regime, and the two years before that it is trained on.
    candles({
      series: 'candles1h',
      interval: '1h',
      step: hour,
      pageSteps: pageRows.klines,
      needed: (symbol) => (symbol === 'BTCUSDT' ? years : 8 * day),
    }),
    candles({ series: 'candles1d', interval: '1d', step: day, pageSteps: 366, needed: () => 0 }),
  ],
});
