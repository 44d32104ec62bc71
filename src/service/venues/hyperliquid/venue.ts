import { hour, second } from '../../../runtime/units.ts';
import { defineVenue } from '../venue.ts';
import { hyperliquidPaths, hyperliquidPools, openHyperliquid, pageRows } from './client.ts';
import { parseQuotes, parseTicks } from './payloads.ts';
import { coinOf } from './symbols.ts';

/**
 * Hyperliquid publishes no liquidations except one's own and no long/short ratios. Open interest and marks are available
 * for the present only, so their past is what the collectors have stored.
 */
export default defineVenue({
  name: 'hyperliquid',
  title: 'Hyperliquid',
  pages: [
    { title: 'Hyperliquid', url: 'https://app.hyperliquid.xyz/trade/{base}' },
    { title: 'TradingView', url: 'https://www.tradingview.com/chart/?symbol=HYPERLIQUID%3A{base}USDC.P' },
  ],
  urls: { rest: 'https://api.hyperliquid.xyz', stream: 'wss://api.hyperliquid.xyz' },
  pools: hyperliquidPools,
  paths: hyperliquidPaths,
  roles: {
    // Two fewer, because the running hour is one of the candles kept and an hour may end during the request.
    candles: { rows: pageRows.candles, kept: pageRows.candles - 2, takers: false },
    funding: { rows: pageRows.funding, every: hour, together: false },
    intervals: {},
    marks: {},
    openInterest: {},
    prices: {},
    marginTiers: {},
    ticks: {
      url: (root) => `${root}/ws`,
      subscribe: (symbols) =>
        symbols.map((symbol) =>
          JSON.stringify({
            method: 'subscribe',
            subscription: { type: 'activeAssetCtx', coin: coinOf(symbol) },
          }),
        ),
      ping: { every: 50 * second, text: '{"method":"ping"}' },
      read: parseTicks,
    },
    quotes: {
      url: (root) => `${root}/ws`,
      subscribe: (symbols) =>
        symbols.map((symbol) =>
          JSON.stringify({ method: 'subscribe', subscription: { type: 'bbo', coin: coinOf(symbol) } }),
        ),
      // The exchange closes a socket over which it has sent nothing for 60 s.
      ping: { every: 50 * second, text: '{"method":"ping"}' },
      read: parseQuotes,
    },
  },
  // Of the builder market xyz, which the list of coins does not have; the index is licensed (S&P Dow Jones Indices, March 2026).
  macro: { gold_perpetual: 'xyz:GOLD', sp500_perpetual: 'xyz:SP500' },
  open: openHyperliquid,
});
