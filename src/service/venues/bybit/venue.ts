import { hour, second } from '../../../runtime/units.ts';
import { defineVenue } from '../venue.ts';
import { openBybit } from './client.ts';
import { parseLiquidations, parseTicks } from './messages.ts';
import { labels } from './payloads.ts';
import { bybitPaths, bybitPools, pageRows } from './questions.ts';
import { nameOf } from './symbols.ts';

/** Bybit publishes neither the volume of a candle that takers bought nor the positions of top traders. */
export default defineVenue({
  name: 'bybit',
  title: 'Bybit',
  pages: [
    { title: 'Bybit', url: 'https://www.bybit.com/trade/usdt/{symbol}' },
    { title: 'TradingView', url: 'https://www.tradingview.com/chart/?symbol=BYBIT%3A{symbol}.P' },
  ],
  urls: { rest: 'https://api.bybit.com', stream: 'wss://stream.bybit.com' },
  pools: bybitPools,
  paths: bybitPaths,
  labels: { '/v5/market/instruments-info': labels },
  roles: {
    candles: { rows: pageRows.klines, takers: false },
    funding: { rows: pageRows.funding, every: 8 * hour, together: true },
    intervals: {},
    marks: {},
    closes: { rows: pageRows.klines },
    openInterest: {},
    pastOpenInterest: { rows: pageRows.openInterest },
    ratios: { rows: pageRows.ratios, top: false },
    // Books are requested, not streamed: a stream sends each of a hundred symbols' books up to a hundred times a second.
    book: {},
    prices: {},
    marginTiers: {},
    ticks: {
      url: (root) => `${root}/v5/public/linear`,
      subscribe: (symbols) =>
        symbols.map((symbol) => JSON.stringify({ op: 'subscribe', args: [`tickers.${nameOf(symbol)}`] })),
      ping: { every: 20 * second, text: '{"op":"ping"}' },
      read: parseTicks,
    },
    liquidations: {
      // docs/v5/websocket/public/all-liquidation
      all: true,
      wholeMarket: false,
      url: (root) => `${root}/v5/public/linear`,
      // One message per symbol, because a wrong symbol makes the exchange refuse the whole message.
      subscribe: (symbols) =>
        symbols.map((symbol) =>
          JSON.stringify({ op: 'subscribe', args: [`allLiquidation.${nameOf(symbol)}`] }),
        ),
      // The interval that Bybit recommends (docs/v5/ws/connect).
      ping: { every: 20 * second, text: '{"op":"ping"}' },
      read: parseLiquidations,
    },
  },
  open: openBybit,
});
