import { hour, second } from '../../../runtime/units.ts';
import { defineVenue } from '../venue.ts';
import { openBybit } from './client.ts';
import { parseLiquidations } from './payloads.ts';
import { bybitPools, pageRows } from './questions.ts';
import { nameOf } from './symbols.ts';

/** It tells neither what takers bought of a candle nor how top traders are positioned. */
export default defineVenue({
  name: 'bybit',
  title: 'Bybit',
  urls: { rest: 'https://api.bybit.com', stream: 'wss://stream.bybit.com' },
  pools: bybitPools,
  roles: {
    candles: { rows: pageRows.klines, takers: false },
    funding: { rows: pageRows.funding, every: 8 * hour, together: true },
    intervals: {},
    marks: {},
    closes: { rows: pageRows.klines },
    openInterest: {},
    pastOpenInterest: { rows: pageRows.openInterest },
    ratios: { rows: pageRows.ratios, top: false },
    // Asked for: a subscription to the books of a hundred symbols tells each up to a hundred times a second.
    book: {},
    liquidations: {
      // docs/v5/websocket/public/all-liquidation
      all: true,
      url: (root) => `${root}/v5/public/linear`,
      // Each for itself: one that is wrong would take the others of its message with it.
      subscribe: (symbols) =>
        symbols.map((symbol) =>
          JSON.stringify({ op: 'subscribe', args: [`allLiquidation.${nameOf(symbol)}`] }),
        ),
      // As often as it asks to be told (docs/v5/ws/connect).
      ping: { every: 20 * second, text: '{"op":"ping"}' },
      read: parseLiquidations,
    },
  },
  open: openBybit,
});
