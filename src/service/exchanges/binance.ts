import type { z } from 'zod';
import { day, hour, minute } from '../../runtime/units.ts';
import type { Candle, Mark, OpenInterest, Ratio, SettledFunding, TimeRange } from '../archive/archive.ts';
import * as payload from './binance-payloads.ts';
import type { Pool } from './gate.ts';
import type { OnOdd, Rows } from './rows.ts';
import { openUpstream, type UpstreamOptions, type UpstreamQuestion } from './upstream.ts';

export interface Listing {
  readonly symbol: string;
  /** When its trading began, ms. */
  readonly listed: number;
  /** Of the last 24 h, in USDT. */
  readonly volume: number;
}

export interface TopOfBook {
  readonly symbol: string;
  readonly bidPrice: number;
  readonly askPrice: number;
  readonly imbalance: number;
}

/** A page at most, ascending. `urgent` for the present: it may spend what history leaves of the limits. */
export interface PageRequest extends TimeRange {
  readonly urgent?: boolean;
}

/** Rows asked for in one answer: the most there are, and of klines (up to 1,500) what is cheapest a row. */
export const pageRows = { klines: 499, funding: 1_000, futuresData: 500 } as const;

/** Weight of klines by how many are asked for (developers.binance.com, kline/candlestick data). */
export const klineWeight = (limit: number): number => {
  if (limit < 100) return 1;
  if (limit < 500) return 2;
  return limit <= 1_000 ? 5 : 10;
};

const intervals = { '5m': 5 * minute, '1h': hour, '1d': day } as const;
type Interval = keyof typeof intervals;

const settledPath = '/fapi/v1/fundingRate';

/**
 * Limits per IP address: weight a minute on /fapi, calls per 5 minutes on /futures/data and on fundingRate, which
 * tell nobody what was used of them (developers.binance.com, market data). The simulator has none.
 */
export const binancePools: readonly Pool[] = [
  {
    name: 'weight',
    covers: (path) => path.startsWith('/fapi/') && path !== settledPath,
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
  { name: 'funding', covers: (path) => path === settledPath, limit: 500, per: 5 * minute },
];

export type Binance = ReturnType<typeof openBinance>;

/** The exchange's REST as rows of the archive. */
export function openBinance(options: Omit<UpstreamOptions, 'name'> & { readonly onOdd?: OnOdd | undefined }) {
  const { get, close } = openUpstream({ ...options, name: 'binance' });

  async function list<Row>(
    path: string,
    { schema, question }: { readonly schema: z.ZodType<Rows<Row>>; readonly question: UpstreamQuestion },
  ): Promise<Row[]> {
    const { rows, dropped, example } = await get(path, { schema, question });
    if (dropped > 0) {
      options.onOdd?.({ endpoint: `binance ${path}`, dropped, of: dropped + rows.length, example });
    }
    return rows;
  }

  /** No more rows are asked for than the page holds: a kline's weight goes by that. */
  const klines = (interval: Interval, page: PageRequest): UpstreamQuestion => {
    const limit = Math.min(pageRows.klines, Math.floor((page.to - page.from) / intervals[interval]) + 1);
    return {
      query: { interval, startTime: page.from, endTime: page.to, limit },
      cost: klineWeight(limit),
      urgent: page.urgent ?? false,
    };
  };
  const asking = (
    market: { readonly symbol: string } | { readonly pair: string },
    { query, ...cost }: UpstreamQuestion,
  ): UpstreamQuestion => ({
    query: { ...market, ...query },
    ...cost,
  });

  return {
    close,

    serverTime: () => get('/fapi/v1/time', { schema: payload.serverTime, question: { urgent: true } }),

    /** What is traded now, without an order. */
    async listings(): Promise<Listing[]> {
      const [listings, volumes] = await Promise.all([
        list('/fapi/v1/exchangeInfo', { schema: payload.listings, question: { urgent: true } }),
        list('/fapi/v1/ticker/24hr', { schema: payload.volumes, question: { cost: 40, urgent: true } }),
      ]);
      const volumeOf = new Map(volumes.map(({ symbol, quoteVolume }) => [symbol, quoteVolume]));
      return listings.map((listing) => ({ ...listing, volume: volumeOf.get(listing.symbol) ?? 0 }));
    },

    /** Open times in the page; the running candle is among them if the page reaches it. */
    candles: (
      symbol: string,
      { interval, page }: { readonly interval: '1h' | '1d'; readonly page: PageRequest },
    ): Promise<Candle[]> =>
      list('/fapi/v1/klines', {
        schema: payload.klines(symbol),
        question: asking({ symbol }, klines(interval, page)),
      }),

    /** The first 1,000 of the page; of all symbols where none is named. */
    settlements: (
      symbol: string | undefined,
      { from, to, urgent = false }: PageRequest,
    ): Promise<SettledFunding[]> =>
      list(settledPath, {
        schema: payload.settlements,
        question: {
          query: { symbol, startTime: from, endTime: to, limit: pageRows.funding },
          urgent,
        },
      }),

    openInterest: (symbol: string, { from, to, urgent = false }: PageRequest): Promise<OpenInterest[]> =>
      list('/futures/data/openInterestHist', {
        schema: payload.openInterests,
        question: {
          query: { symbol, period: '5m', startTime: from, endTime: to, limit: pageRows.futuresData },
          urgent,
        },
      }),

    ratios: (
      kind: 'topLongShortPositionRatio' | 'globalLongShortAccountRatio',
      { symbol, from, to, urgent = false }: { readonly symbol: string } & PageRequest,
    ): Promise<Ratio[]> =>
      list(`/futures/data/${kind}`, {
        schema: payload.ratios,
        question: {
          query: { symbol, period: '15m', startTime: from, endTime: to, limit: pageRows.futuresData },
          urgent,
        },
      }),

    /** Mark, index and running rate of the symbols now, stamped `at`. */
    marks: (symbols: readonly string[], at: number): Promise<Mark[]> =>
      list('/fapi/v1/premiumIndex', {
        schema: payload.marks(new Set(symbols), at),
        question: { cost: 10, urgent: true },
      }),

    /** Closes of the 5-minute mark or index klines; `time` is the open time. */
    closes: (
      price: 'mark' | 'index',
      { symbol, page }: { readonly symbol: string; readonly page: PageRequest },
    ): Promise<{ time: number; close: number }[]> =>
      list(`/fapi/v1/${price}PriceKlines`, {
        schema: payload.closes,
        question: asking(price === 'mark' ? { symbol } : { pair: symbol }, klines('5m', page)),
      }),

    book: (symbols: readonly string[]): Promise<TopOfBook[]> =>
      list('/fapi/v1/ticker/bookTicker', {
        schema: payload.tops(new Set(symbols)),
        question: { cost: 5, urgent: true },
      }),
  };
}
