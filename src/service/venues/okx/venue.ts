import { chunksOf } from '../../../runtime/chunks.ts';
import { hour, second } from '../../../runtime/units.ts';
import { defineVenue } from '../venue.ts';
import { openOkx } from './client.ts';
import { parseTicks, readLiquidations } from './messages.ts';
import { labels } from './payloads.ts';
import { keptRows, okxPaths, okxPools, pageRows } from './questions.ts';
import { nameOf } from './symbols.ts';

/** OKX keeps settlements for three months: this is their number for a market that settles every 8 hours. */
const settledKept = 90 * 3;

const namesPerRequest = 50;

/** OKX publishes the volume bought by takers only separately from the candles and only for the last 60 days. */
export default defineVenue({
  name: 'okx',
  title: 'OKX',
  pages: [
    { title: 'OKX', url: 'https://www.okx.com/trade-swap/{coin}-usdt-swap' },
    { title: 'TradingView', url: 'https://www.tradingview.com/chart/?symbol=OKX%3A{base}USDT.P' },
  ],
  urls: { rest: 'https://www.okx.com', stream: 'wss://ws.okx.com:8443' },
  pools: okxPools,
  paths: okxPaths,
  labels: { '/api/v5/public/instruments': labels },
  roles: {
    candles: { rows: pageRows.candles, takers: false },
    funding: { rows: pageRows.funding, kept: settledKept, every: 8 * hour, together: true },
    intervals: {},
    marks: {},
    closes: { rows: pageRows.closes, kept: keptRows },
    openInterest: {},
    pastOpenInterest: { rows: pageRows.statistics, kept: keptRows },
    ratios: { rows: pageRows.statistics, kept: keptRows, top: true },
    book: {},
    contractSizes: {},
    prices: {},
    marginTiers: {},
    ticks: {
      url: (root) => `${root}/ws/v5/public`,
      // OKX takes 480 requests an hour on a connection, and refuses of a request only the names that are wrong.
      subscribe: (symbols) =>
        chunksOf(symbols, namesPerRequest).map((part) =>
          JSON.stringify({
            op: 'subscribe',
            args: part.map((symbol) => ({ channel: 'tickers', instId: nameOf(symbol) })),
          }),
        ),
      ping: { every: 25 * second, text: 'ping' },
      read: parseTicks,
    },
    liquidations: {
      // "each contract will only show a maximum of one order per one-second period" (docs-v5, liquidation orders channel)
      all: false,
      wholeMarket: true,
      url: (root) => `${root}/ws/v5/public`,
      subscribe: () => [
        JSON.stringify({
          op: 'subscribe',
          args: ['instruments', 'liquidation-orders'].map((channel) => ({ channel, instType: 'SWAP' })),
        }),
      ],
      // OKX closes a socket on which the client sends nothing for 30 s.
      ping: { every: 25 * second, text: 'ping' },
      read: readLiquidations,
    },
  },
  // XAU-USDT-SWAP and US500-USDT-SWAP (public/instruments, instCategory 4 and 3).
  macro: { gold_perpetual: 'XAUUSDT', sp500_perpetual: 'US500USDT' },
  open: openOkx,
});
