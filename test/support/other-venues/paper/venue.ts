import { candleLengths } from '#src/contract/candle-interval.ts';
import { hour } from '#src/runtime/units.ts';
import { defineVenue } from '#src/service/venues/venue.ts';

const price = (time: number) => 100 + 10 * Math.sin(time / (50 * hour));

/** A venue with two roles and two markets that sends no request over a network. */
export default defineVenue({
  name: 'paper',
  title: 'Paper Exchange',
  urls: { rest: 'http://127.0.0.1:1', stream: 'ws://127.0.0.1:1' },
  pools: [],
  paths: [],
  roles: { candles: { rows: 1_000, kept: 1_000, takers: false }, marks: {} },
  open: ({ wall }) => ({
    close: async () => {},
    serverTime: async () => wall.now(),
    listings: async () =>
      ['BTCUSDT', 'PAPERUSDT'].map((symbol, at) => ({ symbol, listed: 0, volume: 1_000 - at })),
    candles: async (symbol, { interval, page: { from, to } }) => {
      const step = candleLengths[interval];
      const times = Array.from({ length: (to - from) / step + 1 }, (_, at) => from + at * step);
      return times.map((time) => ({
        symbol,
        time,
        open: price(time),
        high: price(time) + 1,
        low: price(time) - 1,
        close: price(time),
        volume: 10,
        takerBuy: 5,
        quoteVolume: 1_000,
      }));
    },
    marks: async (symbols, time) =>
      symbols.map((symbol) => ({
        symbol,
        time,
        markPrice: price(time),
        indexPrice: price(time),
        estFunding: 0,
      })),
  }),
});
