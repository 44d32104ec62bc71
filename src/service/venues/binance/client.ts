import { type CandleInterval, candleLengths } from '../../../contract/candle-interval.ts';
import { ifAnswered } from '../../../runtime/errors.ts';
import { minute, second } from '../../../runtime/units.ts';
import type { Mark, OpenInterest } from '../../archive/archive.ts';
import { rowsOfEach } from '../../exchanges/bounded.ts';
import type { Pool } from '../../exchanges/gate.ts';
import { fetchOldestFirst, type Rows } from '../../exchanges/rows.ts';
import { type Asked, openUpstream, type UpstreamQuestion } from '../../exchanges/upstream.ts';
import type { PageRequest, Venue } from '../venue.ts';
import * as payload from './payloads.ts';

/**
 * Rows requested in one response: the most that Binance allows, except for klines. Of klines 1,500 are allowed, but 499 cost
 * the least weight per row.
 */
export const pageRows = { klines: 499, funding: 1_000, futuresData: 500 } as const;

/** Returns the weight of a request for `limit` klines (developers.binance.com, kline/candlestick data). */
export const klineWeight = (limit: number): number => {
  if (limit < 100) return 1;
  if (limit < 500) return 2;
  return limit <= 1_000 ? 5 : 10;
};

/** Everything that is asked for. */
export const binancePaths = [
  '/fapi/v1/time',
  '/fapi/v1/exchangeInfo',
  '/fapi/v1/ticker/24hr',
  '/fapi/v1/ticker/bookTicker',
  '/fapi/v1/premiumIndex',
  '/fapi/v1/openInterest',
  '/fapi/v1/fundingInfo',
  '/fapi/v1/fundingRate',
  '/fapi/v1/klines',
  '/fapi/v1/markPriceKlines',
  '/fapi/v1/indexPriceKlines',
  '/futures/data/openInterestHist',
  '/futures/data/topLongShortPositionRatio',
  '/futures/data/globalLongShortAccountRatio',
] as const;
type RequestPath = (typeof binancePaths)[number];

const settledPath = '/fapi/v1/fundingRate';
const intervalsPath = '/fapi/v1/fundingInfo';
const fundingPaths: readonly string[] = [settledPath, intervalsPath];
/** Hours between settlements of symbols that are missing from Binance's list of adjusted intervals. */
const defaultHours = 8;

/**
 * Limits per IP address (developers.binance.com, market data): weight per minute on /fapi; calls per 5 minutes on
 * /futures/data, and on fundingRate and fundingInfo together. No header reports the use of the last two limits.
 */
export const binancePools: readonly Pool[] = [
  {
    name: 'weight',
    covers: (path) => path.startsWith('/fapi/') && !fundingPaths.includes(path),
    limit: 2_400,
    per: minute,
    usedHeader: 'x-mbx-used-weight-1m',
  },
  {
    name: 'futuresData',
    covers: (path) => path.startsWith('/futures/data/'),
    limit: 1_000,
    per: 5 * minute,
  },
  { name: 'funding', covers: (path) => fundingPaths.includes(path), limit: 500, per: 5 * minute },
];

/** Requests about one market each that may be under way at the same time. */
const maxParallel = 8;

const ratioPaths = { top: 'topLongShortPositionRatio', global: 'globalLongShortAccountRatio' } as const;

/**
 * Returns the question about a page of /futures/data. Binance does not say that it answers a span without a length, so the
 * span is at least one period long, and rows from before the page may be returned.
 */
const dataQuestion = (
  symbol: string,
  period: CandleInterval,
  { from, to, urgent }: PageRequest,
): UpstreamQuestion => {
  const startTime = Math.min(from, to - candleLengths[period]);
  return { query: { symbol, period, startTime, endTime: to, limit: pageRows.futuresData }, urgent };
};

/** Requests only as many rows as the page can hold, because the weight depends on the requested number. */
const klines = (
  market: { readonly symbol: string } | { readonly pair: string },
  interval: CandleInterval,
  { from: startTime, to: endTime, urgent }: PageRequest,
): UpstreamQuestion => {
  const limit = Math.min(pageRows.klines, Math.floor((endTime - startTime) / candleLengths[interval]) + 1);
  return { query: { ...market, interval, startTime, endTime, limit }, cost: klineWeight(limit), urgent };
};

/** Opens a client of the exchange's REST API that returns rows of the archive. */
export const openBinance = ((options) => {
  const { get, getRows, close } = openUpstream<RequestPath>({ ...options, name: 'binance' });

  const list = async <Row>(path: RequestPath, asked: Asked<Rows<Row>>): Promise<Row[]> =>
    (await getRows(path, asked)).rows;

  /** Returns the hours between two settlements of those symbols whose interval or rate bounds Binance has adjusted. */
  const adjustedHours = async (): Promise<ReadonlyMap<string, number>> => {
    const rows = await list(intervalsPath, { schema: payload.intervals, urgent: true });
    return new Map(rows.map(({ symbol, hours }) => [symbol, hours]));
  };

  const tickers = () => list('/fapi/v1/ticker/24hr', { schema: payload.tickers, cost: 40, urgent: true });

  const askMarks = (symbols: readonly string[], at: number): Promise<Mark[]> =>
    list('/fapi/v1/premiumIndex', {
      schema: payload.marks(new Set(symbols), at),
      cost: 10,
      urgent: true,
    });

  return {
    close,

    serverTime: () => get('/fapi/v1/time', { schema: payload.serverTime, urgent: true }),

    async listings() {
      const [listings, volumes, hours] = await Promise.all([
        list('/fapi/v1/exchangeInfo', { schema: payload.listings, urgent: true }),
        tickers(),
        ifAnswered(adjustedHours()),
      ]);
      const tickerOf = new Map(volumes.map(({ symbol, ...ticker }) => [symbol, ticker]));
      return listings.map((listing) => ({
        ...listing,
        volume: 0,
        ...tickerOf.get(listing.symbol),
        ...(hours && { fundingHours: hours.get(listing.symbol) ?? defaultHours }),
      }));
    },

    candles: (symbol, { interval, page }) =>
      list('/fapi/v1/klines', { schema: payload.klines(symbol), ...klines({ symbol }, interval, page) }),

    funding: (of, { urgent, ...span }) =>
      fetchOldestFirst(span, {
        limit: pageRows.funding,
        fetch: ({ from, to }) =>
          getRows(settledPath, {
            schema: payload.settlements,
            // Without a symbol Binance returns the settlements of all symbols.
            query: {
              symbol: typeof of === 'string' ? of : undefined,
              startTime: from,
              // A settlement is stamped some milliseconds after its time.
              endTime: to + second - 1,
              limit: pageRows.funding,
            },
            urgent,
          }),
      }),

    async intervals(symbols) {
      const hours = await adjustedHours();
      return symbols.map((symbol) => ({ symbol, hours: hours.get(symbol) ?? defaultHours }));
    },

    /** Binance tells it in coins, of one market a request; the USD value uses the mark. */
    async openInterest(symbols, at) {
      const marks = new Map((await askMarks(symbols, at)).map((row) => [row.symbol, row.markPrice]));
      return rowsOfEach(symbols, {
        limit: maxParallel,
        async ask(symbol): Promise<OpenInterest[]> {
          const asked = { schema: payload.openInterest, query: { symbol }, urgent: true };
          const contracts = await get('/fapi/v1/openInterest', asked);
          const mark = marks.get(symbol);
          return mark === undefined ? [] : [{ symbol, time: at, contracts, valueUsd: contracts * mark }];
        },
      });
    },

    pastOpenInterest: async (symbol, page) => {
      const question = dataQuestion(symbol, '5m', page);
      const asked = { schema: payload.openInterests, ...question };
      const rows = await list('/futures/data/openInterestHist', asked);
      return rows.filter(({ time }) => time >= page.from);
    },

    async ratios(of, { symbol, ...page }) {
      const question = dataQuestion(symbol, '15m', page);
      const rows = await list(`/futures/data/${ratioPaths[of]}`, { schema: payload.ratios, ...question });
      return rows.filter(({ time }) => time >= page.from);
    },

    marks: askMarks,

    closes: (price, { symbol, page }) =>
      list(`/fapi/v1/${price}PriceKlines`, {
        schema: payload.closes,
        ...klines(price === 'mark' ? { symbol } : { pair: symbol }, '5m', page),
      }),

    prices: tickers,

    book: (symbols) =>
      list('/fapi/v1/ticker/bookTicker', {
        schema: payload.tops(new Set(symbols)),
        cost: 5,
        urgent: true,
      }),
  };
}) satisfies Venue['open'];
