import { hour, second } from '../../../runtime/units.ts';
import { defineVenue } from '../venue.ts';
import { hyperliquidPools, openHyperliquid, pageRows } from './client.ts';
import { parseQuotes } from './payloads.ts';
import { coinOf } from './symbols.ts';

/**
 * It tells no liquidations but one's own, no ratio of longs to shorts, and of open interest and marks the present
 * alone: their past is what we recorded.
 */
export default defineVenue({
  name: 'hyperliquid',
  title: 'Hyperliquid',
  urls: { rest: 'https://api.hyperliquid.xyz', stream: 'wss://api.hyperliquid.xyz' },
  pools: hyperliquidPools,
  roles: {
    // The running hour is one of those kept, and an hour may end while they are asked for.
    candles: { rows: pageRows.candles, kept: pageRows.candles - 2, takers: false },
    funding: { rows: pageRows.funding, every: hour, together: false },
    intervals: {},
    marks: {},
    openInterest: {},
    quotes: {
      url: (root) => `${root}/ws`,
      subscribe: (symbols) =>
        symbols.map((symbol) =>
          JSON.stringify({ method: 'subscribe', subscription: { type: 'bbo', coin: coinOf(symbol) } }),
        ),
      // A socket over which it has sent nothing for 60 s it closes.
      ping: { every: 50 * second, text: '{"method":"ping"}' },
      read: parseQuotes,
    },
  },
  open: openHyperliquid,
});
