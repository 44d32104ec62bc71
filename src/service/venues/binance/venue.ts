import { day, hour, minute, second } from '../../../runtime/units.ts';
import { defineVenue } from '../venue.ts';
import { binancePaths, binancePools, openBinance, pageRows } from './client.ts';
import { parseForceOrders, parseTicks } from './messages.ts';
import { labels } from './payloads.ts';

/** How far back /futures/data can be read, ms: Binance refuses a start more than 30 days back. */
const dataReach = 30 * day - hour;

export default defineVenue({
  name: 'binance',
  title: 'Binance USD-M',
  pages: [
    { title: 'Binance', url: 'https://www.binance.com/en/futures/{symbol}' },
    { title: 'TradingView', url: 'https://www.tradingview.com/chart/?symbol=BINANCE%3A{symbol}.P' },
  ],
  urls: { rest: 'https://fapi.binance.com', stream: 'wss://fstream.binance.com' },
  pools: binancePools,
  paths: binancePaths,
  labels: { '/fapi/v1/exchangeInfo': labels },
  roles: {
    candles: { rows: pageRows.klines, takers: true },
    funding: { rows: pageRows.funding, every: 8 * hour, together: true },
    intervals: {},
    marks: {},
    closes: { rows: pageRows.klines },
    openInterest: {},
    pastOpenInterest: { rows: pageRows.futuresData, kept: dataReach / (5 * minute) },
    ratios: { rows: pageRows.futuresData, kept: dataReach / (15 * minute), top: true },
    book: {},
    prices: {},
    // Both of the last second: only markets that were traded in it are among the tickers, all markets among the marks.
    ticks: {
      url: (root) => `${root}/market/stream?streams=!miniTicker@arr/!markPrice@arr@1s`,
      ping: { every: 20 * second },
      read: parseTicks,
    },
    // The URL that sends events since 2026. Per symbol and second only the largest liquidation is sent (liquidation order
    // streams).
    liquidations: {
      all: false,
      wholeMarket: true,
      url: (root) => `${root}/market/ws/!forceOrder@arr`,
      // Binance pings every 3 minutes, too seldom to notice a broken connection, and takes 10 pings a second.
      ping: { every: 20 * second },
      read: parseForceOrders,
    },
  },
  // Of contract type TRADIFI_PERPETUAL (/fapi/v1/exchangeInfo); traded without a pause. On indices it lists those of ETFs alone.
  macro: { gold_perpetual: 'XAUUSDT', sp500_etf_perpetual: 'SPYUSDT' },
  open: openBinance,
});
