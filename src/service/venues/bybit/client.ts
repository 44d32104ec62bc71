import type { CandleInterval } from '../../../contract/candle-interval.ts';
import { minute } from '../../../runtime/units.ts';
import type { SettledFunding } from '../../archive/archive.ts';
import { eachBounded } from '../../exchanges/bounded.ts';
import { isRefusal, isUnknown } from '../../exchanges/failure.ts';
import { within } from '../../exchanges/rows.ts';
import type { Listing, PageRequest, Venue } from '../venue.ts';
import * as payload from './payloads.ts';
import { openQuestions, pageRows } from './questions.ts';
import { nameOf } from './symbols.ts';

const intervals: Readonly<Record<CandleInterval, string>> = {
  '1m': '1',
  '5m': '5',
  '15m': '15',
  '30m': '30',
  '1h': '60',
  '4h': '240',
  '1d': 'D',
};
const interestStep = 5 * minute;
/** The most pages of the list of contracts: in 2026 all some 700 are on the first. */
const maxPages = 10;
/** For how many symbols settlements are requested at the same time. */
const maxParallel = 8;

/** Opens a client of the exchange's REST API that returns rows of the archive, for contracts against USDT and USDC. */
export const openBybit = ((options) => {
  const { ask, fetchTickers, fetchKlines, fetchSettlements, fetchTiers, serverTime, close } =
    openQuestions(options);

  const closes = (price: 'mark' | 'index', given: { readonly symbol: string; readonly page: PageRequest }) =>
    fetchKlines(`${price}-price-kline`, { ...given, schema: payload.closes, interval: '5' });

  return {
    close,

    serverTime,

    async listings() {
      const tickerOf = new Map(
        (await fetchTickers(payload.volumes)).map(({ symbol, ...ticker }) => [symbol, ticker]),
      );
      const all: Listing[] = [];
      let cursor: string | undefined;
      let pages = 0;
      do {
        const query = { limit: 1_000, cursor };
        const { rows, next } = await ask('instruments-info', {
          schema: payload.listings,
          query,
          urgent: true,
        });
        all.push(...rows.map((row) => ({ ...row, volume: 0, ...tickerOf.get(row.symbol) })));
        cursor = next;
        pages += 1;
      } while (cursor !== undefined && pages < maxPages);
      return all;
    },

    prices: () => fetchTickers(payload.volumes),

    candles: (symbol, { interval, page }) =>
      fetchKlines('kline', {
        schema: payload.candles(symbol),
        symbol,
        interval: intervals[interval],
        page,
      }),

    /** For several symbols, requests one symbol at a time, and only the symbols whose last settlement is in the page. */
    async funding(of, page) {
      if (typeof of === 'string') return fetchSettlements(of, page);
      const due = (await fetchTickers(payload.intervals(new Set(of)))).filter(
        ({ settled }) => settled >= page.from,
      );
      const all: SettledFunding[] = [];
      const failures = await eachBounded(due, {
        limit: maxParallel,
        work: async ({ symbol }) => void all.push(...(await fetchSettlements(symbol, page))),
        stopOn: isRefusal,
      });
      const failed = failures.find(({ error }) => !isUnknown(error));
      if (failed !== undefined) throw failed.error;
      return all.sort((a, b) => a.time - b.time);
    },

    intervals: async (symbols) =>
      (await fetchTickers(payload.intervals(new Set(symbols)))).map(({ symbol, hours }) => ({
        symbol,
        hours,
      })),

    marks: (symbols, at) => fetchTickers(payload.marks(new Set(symbols), at)),

    closes,

    openInterest: (symbols, at) => fetchTickers(payload.openInterests(new Set(symbols), at)),

    /** Bybit gives past open interest in coins only. The USD value uses the mark price's close of the five minutes before. */
    async pastOpenInterest(symbol, page) {
      const { from: startTime, to: endTime, urgent } = page;
      const query = {
        symbol: nameOf(symbol),
        intervalTime: '5min',
        startTime,
        endTime,
        limit: pageRows.openInterest,
      };
      const opened = { ...page, from: startTime - interestStep, to: endTime - interestStep };
      const [{ rows }, marks] = await Promise.all([
        ask('open-interest', { schema: payload.pastInterests, query, urgent }),
        closes('mark', { symbol, page: opened }),
      ]);
      const markAt = new Map(marks.map(({ time, close }) => [time + interestStep, close]));
      return rows.filter(within(page)).flatMap(({ time, contracts }) => {
        const mark = markAt.get(time);
        return mark === undefined ? [] : [{ symbol, time, contracts, valueUsd: contracts * mark }];
      });
    },

    async ratios(of, { symbol, ...page }) {
      if (of === 'top') return [];
      const { from: startTime, to: endTime, urgent } = page;
      const query = { symbol: nameOf(symbol), period: '15min', startTime, endTime, limit: pageRows.ratios };
      const { rows } = await ask('account-ratio', { schema: payload.ratios(symbol), query, urgent });
      return rows.filter(within(page));
    },

    book: (symbols) => fetchTickers(payload.tops(new Set(symbols))),

    marginTiers: fetchTiers,
  };
}) satisfies Venue['open'];
