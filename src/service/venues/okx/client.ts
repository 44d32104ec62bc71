import type { CandleInterval } from '../../../contract/candle-interval.ts';
import { minute } from '../../../runtime/units.ts';
import type { Venue } from '../venue.ts';
import * as payload from './payloads.ts';
import { openQuestions, pageRows, swaps } from './questions.ts';
import { coinsIn, indexOf, nameOf } from './symbols.ts';

const bars: Readonly<Record<CandleInterval, string>> = {
  '1m': '1m',
  '5m': '5m',
  '15m': '15m',
  '30m': '30m',
  '1h': '1H',
  '4h': '4H',
  '1d': '1Dutc',
};
const interestSpan = 5 * minute;
const ratioSpan = 15 * minute;
const ratioPaths = {
  top: 'rubik/stat/contracts/long-short-position-ratio-contract-top-trader',
  global: 'rubik/stat/contracts/long-short-account-ratio-contract',
} as const;
/** Requests the funding rates of all instruments at once. */
const anyInstrument = { instId: 'ANY' } as const;

const quotesOf = (symbols: readonly string[]): readonly string[] => [
  ...new Set(symbols.map((symbol) => (symbol.endsWith('USDC') ? 'USDC' : 'USDT'))),
];

const unitOf = (symbol: string) => ({ symbol, coins: coinsIn(symbol) });

/** Opens a client of the exchange's REST API that returns rows of the archive, for perpetuals against USDT and USDC. */
export const openOkx = ((options) => {
  const { fetchPresent, fetchPage, fetchSettlements, fetchSizes, fetchTiers, serverTime, close } =
    openQuestions(options);
  const fetchRunningRates = (symbols: readonly string[]) =>
    fetchPresent('public/funding-rate', payload.fundingRates(new Set(symbols)), anyInstrument);

  return {
    close,

    serverTime,

    async listings() {
      const [listings, volumes] = await Promise.all([
        fetchPresent('public/instruments', payload.listings, swaps),
        fetchPresent('market/tickers', payload.volumes, swaps),
      ]);
      const rates = await fetchRunningRates(listings.map(({ symbol }) => symbol));
      const hoursOf = new Map(rates.map(({ symbol, hours }) => [symbol, hours]));
      const tickerOf = new Map(volumes.map(({ symbol, ...ticker }) => [symbol, ticker]));
      return listings.map((listing) => {
        const fundingHours = hoursOf.get(listing.symbol) ?? 0;
        const ticker = tickerOf.get(listing.symbol);
        return { ...listing, volume: 0, ...ticker, ...(fundingHours > 0 && { fundingHours }) };
      });
    },

    /**
     * An urgent request reads the path for recent candles first, which has a new candle at once. If that path does not reach
     * back to the start of the page, the path for older candles is read.
     */
    async candles(symbol, { interval, page: asked }) {
      const question = {
        schema: payload.candles(unitOf(symbol)),
        query: { instId: nameOf(symbol), bar: bars[interval], limit: pageRows.candles },
        page: asked,
      };
      const recent = asked.urgent === true ? await fetchPage('market/candles', question) : [];
      return recent[0]?.time === asked.from ? recent : fetchPage('market/history-candles', question);
    },

    async funding(of, asked) {
      if (typeof of === 'string') return fetchSettlements(of, asked);
      return (await fetchRunningRates(of))
        .flatMap(({ settled }) => settled ?? [])
        .filter(({ time }) => time >= asked.from && time <= asked.to)
        .sort((a, b) => a.time - b.time);
    },

    intervals: async (symbols) =>
      (await fetchRunningRates(symbols)).flatMap(({ symbol, hours }) =>
        hours > 0 ? [{ symbol, hours }] : [],
      ),

    async marks(symbols, at) {
      const wanted = new Set(symbols);
      const [marks, indexes, rates] = await Promise.all([
        fetchPresent('public/mark-price', payload.markPrices(wanted), swaps),
        Promise.all(
          quotesOf(symbols).map((quoteCcy) =>
            fetchPresent('market/index-tickers', payload.indexPrices(wanted), { quoteCcy }),
          ),
        ),
        fetchRunningRates(symbols),
      ]);
      const indexOf = new Map(indexes.flat().map(({ symbol, price }) => [symbol, price]));
      const rateOf = new Map(rates.map(({ symbol, rate }) => [symbol, rate]));
      return marks.flatMap(({ symbol, price }) => {
        const [indexPrice, estFunding] = [indexOf.get(symbol), rateOf.get(symbol)];
        if (indexPrice === undefined || estFunding === undefined) return [];
        return [{ symbol, time: at, markPrice: price, indexPrice, estFunding }];
      });
    },

    closes: (price, { symbol, page: asked }) =>
      fetchPage(price === 'mark' ? 'market/mark-price-candles' : 'market/index-candles', {
        schema: payload.closes(unitOf(symbol)),
        query: {
          instId: price === 'mark' ? nameOf(symbol) : indexOf(symbol),
          bar: '5m',
          limit: pageRows.closes,
        },
        page: asked,
      }),

    openInterest: (symbols, at) =>
      fetchPresent('public/open-interest', payload.openInterests(new Set(symbols), at), swaps),

    pastOpenInterest: (symbol, asked) =>
      fetchPage('rubik/stat/contracts/open-interest-history', {
        schema: payload.pastInterests(unitOf(symbol), interestSpan),
        query: { instId: nameOf(symbol), period: '5m', limit: pageRows.statistics },
        page: asked,
        span: interestSpan,
      }),

    ratios: (whose, { symbol, ...asked }) =>
      fetchPage(ratioPaths[whose], {
        schema: payload.ratios(unitOf(symbol), ratioSpan),
        query: { instId: nameOf(symbol), period: '15m', limit: pageRows.statistics },
        page: asked,
        span: ratioSpan,
      }),

    contractSizes: fetchSizes,

    marginTiers: fetchTiers,

    prices: () => fetchPresent('market/tickers', payload.volumes, swaps),

    book: (symbols) => fetchPresent('market/tickers', payload.tops(new Set(symbols)), swaps),
  };
}) satisfies Venue['open'];
