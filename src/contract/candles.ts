import { z } from 'zod';
import { candleIntervals, candleLengths } from './candle-interval.ts';
import { decimal, defineEndpoint, limit, pair, positiveDecimal, timestamp } from './endpoint.ts';

/** The interface mentions candles without a path or field names, so the fields are named as in `candles24h`. */
export const candles = defineEndpoint({
  path: '/candles',
  summary: 'Closed candles of one symbol, oldest first',
  query: z.object({
    symbol: pair.default('BTCUSDT'),
    interval: z.enum(candleIntervals).default('1h'),
    limit: limit(100, 1000),
  }),
  answer: z.object({
    symbol: z.string(),
    interval: z.string(),
    /** Volume in base units, quote volume in USD. */
    data: z.array(
      z.object({
        open_time: timestamp,
        o: positiveDecimal,
        h: positiveDecimal,
        l: positiveDecimal,
        c: positiveDecimal,
        v: decimal,
        quote_volume: decimal,
        /** What takers bought of `v`. Omitted where the venue does not publish it. */
        taker_buy: decimal.optional(),
      }),
    ),
  }),
  cadence: 60,
  cadenceFor: ({ interval }) => candleLengths[interval] / 1_000,
  extension: true,
});
