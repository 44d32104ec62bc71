import { minute } from '../../runtime/units.ts';
import type { Candle, Mark, OpenInterest, Ratio, Settlement, Span } from '../archive/archive.ts';
import * as payload from './binance-payloads.ts';
import { rollingQuota } from './quota.ts';
import { type Limit, openUpstream, type UpstreamOptions } from './upstream.ts';

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
export interface Page extends Span {
  readonly urgent?: boolean;
}

/** Most rows of one answer. */
export const pageRows = { klines: 1_500, funding: 1_000, futuresData: 500 } as const;

/**
 * Limits per IP address: weight a minute on /fapi, calls per 5 minutes on /futures/data and on fundingRate
 * (developers.binance.com, market data). The simulator has none.
 */
export const binanceLimits = (): Limit[] => [
  {
    covers: (path) => path.startsWith('/fapi/') && path !== '/fapi/v1/fundingRate',
    quota: rollingQuota(2_400, minute),
    usedHeader: 'x-mbx-used-weight-1m',
  },
  { covers: (path) => path.startsWith('/futures/data/'), quota: rollingQuota(1_000, 5 * minute) },
  { covers: (path) => path === '/fapi/v1/fundingRate', quota: rollingQuota(500, 5 * minute) },
];

export type Binance = ReturnType<typeof openBinance>;

/** The exchange's REST as rows of the archive. */
export function openBinance(options: Omit<UpstreamOptions, 'name'>) {
  const { get, close } = openUpstream({ ...options, name: 'binance' });

  const klinesOf = (path: string, key: 'symbol' | 'pair', symbol: string, interval: string, page: Page) => ({
    path,
    question: {
      query: { [key]: symbol, interval, startTime: page.from, endTime: page.to, limit: pageRows.klines },
      cost: 10,
      urgent: page.urgent ?? false,
    },
  });

  return {
    close,

    serverTime: () => get('/fapi/v1/time', payload.serverTime, { urgent: true }),

    /** What is traded now, without an order. */
    async listings(): Promise<Listing[]> {
      const [listings, volumes] = await Promise.all([
        get('/fapi/v1/exchangeInfo', payload.listings, { urgent: true }),
        get('/fapi/v1/ticker/24hr', payload.volumes, { cost: 40, urgent: true }),
      ]);
      const volumeOf = new Map(volumes.map(({ symbol, quoteVolume }) => [symbol, quoteVolume]));
      return listings.map((listing) => ({ ...listing, volume: volumeOf.get(listing.symbol) ?? 0 }));
    },

    /** Open times in the page; the running candle is among them if the page reaches it. */
    candles(symbol: string, interval: '1h' | '1d', page: Page): Promise<Candle[]> {
      const { path, question } = klinesOf('/fapi/v1/klines', 'symbol', symbol, interval, page);
      return get(path, payload.klines(symbol), question);
    },

    /** Of all symbols where none is named. */
    settlements: (symbol: string | undefined, { from, to, urgent = false }: Page): Promise<Settlement[]> =>
      get('/fapi/v1/fundingRate', payload.settlements, {
        query: { symbol, startTime: from, endTime: to, limit: pageRows.funding },
        urgent,
      }),

    openInterest: (symbol: string, { from, to, urgent = false }: Page): Promise<OpenInterest[]> =>
      get('/futures/data/openInterestHist', payload.openInterests, {
        query: { symbol, period: '5m', startTime: from, endTime: to, limit: pageRows.futuresData },
        urgent,
      }),

    ratios: (
      kind: 'topLongShortPositionRatio' | 'globalLongShortAccountRatio',
      symbol: string,
      { from, to, urgent = false }: Page,
    ): Promise<Ratio[]> =>
      get(`/futures/data/${kind}`, payload.ratios, {
        query: { symbol, period: '15m', startTime: from, endTime: to, limit: pageRows.futuresData },
        urgent,
      }),

    /** Mark, index and running rate of the symbols now, stamped `at`. */
    marks: (symbols: readonly string[], at: number): Promise<Mark[]> =>
      get('/fapi/v1/premiumIndex', payload.marks(new Set(symbols), at), { cost: 10, urgent: true }),

    /** Closes of the 5-minute mark or index klines; `time` is the open time. */
    closes(of: 'mark' | 'index', symbol: string, page: Page): Promise<{ time: number; close: number }[]> {
      const { path, question } = klinesOf(
        `/fapi/v1/${of}PriceKlines`,
        of === 'mark' ? 'symbol' : 'pair',
        symbol,
        '5m',
        page,
      );
      return get(path, payload.closes, question);
    },

    book: (symbols: readonly string[]): Promise<TopOfBook[]> =>
      get('/fapi/v1/ticker/bookTicker', payload.tops(new Set(symbols)), { cost: 5, urgent: true }),
  };
}
