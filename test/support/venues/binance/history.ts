import { z } from 'zod';
import { candleIntervals, candleLengths } from '#src/contract/candle-interval.ts';
import { day, hour } from '#src/runtime/units.ts';
import type { Instrument, Market } from '#src/service/simulation/market.ts';
import { bits, keyOf } from '#src/service/simulation/random.ts';
import { candlesOf, klineOf, priceKline } from '../klines.ts';
import { pageFields, periodTimes } from '../paging.ts';
import { defineRoute, type Routes } from '../route.ts';
import { untradedInstruments } from './exchange-info.ts';
import { instrumentBySymbol as listedIn, period } from './query.ts';

const klineWeight = ({ limit }: { limit: number }) => {
  if (limit < 100) return 1;
  if (limit < 500) return 2;
  return limit <= 1000 ? 5 : 10;
};

const ignored = untradedInstruments.filter(({ contractType }) => contractType.endsWith('PERPETUAL'));

/** Adds the settlements of Binance's other perpetuals, which repeat the first coin's, and a stock's dividend beside each. */
const withIgnored = <Row extends { readonly symbol: string; readonly rateType: string }>(
  rows: readonly Row[],
  first: string | undefined,
): Row[] =>
  rows.flatMap((row) =>
    row.symbol === first
      ? [
          row,
          ...ignored.map(({ symbol }) => ({ ...row, symbol })),
          { ...row, symbol: 'TSLAUSDT', rateType: 'Special' },
        ]
      : [row],
  );

/** How far back /futures/data reaches. */
const month = 30 * day;

interface KlineQuery {
  readonly limit: number;
  readonly interval: number;
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
  readonly now: number;
}

/**
 * Returns the routes that are read in pages: klines, settlements, open interest, ratios.
 * @param publicationDelay delay after its timestamp with which a row of /futures/data appears, ms
 */
export function historyRoutes(market: Market, publicationDelay: number): Routes {
  const listed = listedIn(market);
  // Gold is no coin: it has candles, here bitcoin's, and is not among the listings.
  const charted = z.preprocess((name) => (name === 'XAUUSDT' ? 'BTCUSDT' : name), listed);
  const { earliest } = market;

  /** Returns the timestamp of a settlement: up to 11 ms late, as at the live exchange, unless the settlement is recorded. */
  const stamped = (symbol: string, time: number) =>
    market.sourceOf('funding', symbol) === 'recorded' ? time : time + (bits(keyOf(0, symbol), time, 1) % 12);

  const settled = (instrument: Instrument, { from, to }: { readonly from: number; readonly to: number }) =>
    market
      .settlements(instrument.symbol, { from: from - 12, to })
      .map(({ symbol, time, rate }) => {
        const stamp = { nominal: time, time: stamped(symbol, time) };
        return { symbol, coin: symbol, rate, rateType: 'Regular', ...stamp };
      })
      .filter(({ time }) => time >= from && time <= to);

  const priceKlines =
    (of: 'markPrice' | 'indexPrice') =>
    ({ symbol }: Instrument, query: KlineQuery) => {
      const { now } = query;
      const at = (time: number) => market.mark(symbol, time)[of];
      let closed: { readonly time: number; readonly value: number } | undefined;
      return periodTimes(query, { period: query.interval, earliest, now }).map((time) => {
        const open = closed?.time === time ? closed.value : at(time);
        const end = Math.min(time + query.interval, now);
        closed = { time: end, value: at(end) };
        return priceKline(time, { open, close: closed.value, period: query.interval });
      });
    };
  const klinePage = { ...pageFields(500, 1500), interval: period };

  const dataPage = z.object({ symbol: listed, period, ...pageFields(30, 500) });
  const dataTimes = (query: z.output<typeof dataPage>, now: number) =>
    periodTimes(query, {
      period: query.period,
      earliest: Math.max(earliest, now - month),
      now: now - publicationDelay,
    });

  /** Binance refuses a page that begins before the month that it keeps, instead of giving the part that it has. */
  const tooOld = ({ startTime }: z.output<typeof dataPage>, now: number) =>
    startTime !== undefined && startTime < now - month ? 'startTime' : undefined;

  const ratioRoute = (of: 'top' | 'global') =>
    defineRoute(dataPage, {
      refused: tooOld,
      answer: (query, now) =>
        dataTimes(query, now).map((timestamp) => {
          const { symbol } = query.symbol;
          const long = market.ratios(symbol, timestamp)[of];
          // Some samples of the live exchange do not sum to 1 (interface notes). Here one in fifty does not.
          const slip = bits(keyOf(1, symbol), timestamp, 1) % 50 === 0 ? 0.0007 : 0;
          return {
            symbol,
            longShortRatio: (long / (1 - long)).toFixed(4),
            longAccount: long.toFixed(4),
            shortAccount: (1 - long - slip).toFixed(4),
            timestamp,
          };
        }),
    });

  return {
    '/fapi/v1/klines': defineRoute(
      z.object({ symbol: charted, ...pageFields(500, 1500), interval: z.enum(candleIntervals) }),
      {
        answer: (query, now) =>
          candlesOf(market, { ...query, symbol: query.symbol, interval: query.interval, now }).map((candle) =>
            klineOf(candle, { ...query.symbol, period: candleLengths[query.interval] }),
          ),
        weight: klineWeight,
      },
    ),
    '/fapi/v1/markPriceKlines': defineRoute(z.object({ symbol: listed, ...klinePage }), {
      answer: (query, now) => priceKlines('markPrice')(query.symbol, { ...query, now }),
      weight: klineWeight,
    }),
    '/fapi/v1/indexPriceKlines': defineRoute(z.object({ pair: listed, ...klinePage }), {
      answer: (query, now) => priceKlines('indexPrice')(query.pair, { ...query, now }),
      weight: klineWeight,
    }),
    '/fapi/v1/fundingRate': defineRoute(z.object({ symbol: listed.optional(), ...pageFields(100, 1000) }), {
      answer: ({ symbol, startTime, endTime, limit }, now) => {
        const to = Math.min(endTime ?? now, now);
        // Without a startTime the newest rows are wanted, so the search begins no earlier than the oldest of these can be.
        const from = startTime ?? Math.max(0, to - (limit + 1) * 8 * hour);
        const wanted = (symbol === undefined ? market.instruments : [symbol]).flatMap((instrument) =>
          settled(instrument, { from, to }),
        );
        const rows = symbol === undefined ? withIgnored(wanted, market.instruments[0]?.symbol) : wanted;
        rows.sort((a, b) => a.time - b.time);
        const cut = startTime === undefined ? rows.slice(-limit) : rows.slice(0, limit);
        return cut.map(({ symbol, coin, rate, rateType, nominal, time }) => ({
          symbol,
          fundingTime: time,
          fundingRate: rate.toFixed(8),
          markPrice: nominal < earliest ? '' : market.price(coin, nominal).toFixed(8),
          rateType,
        }));
      },
    }),
    '/futures/data/openInterestHist': defineRoute(dataPage, {
      refused: tooOld,
      answer: (query, now) =>
        dataTimes(query, now).map((time) => {
          const { symbol, contracts, valueUsd } = market.openInterest(query.symbol.symbol, time);
          return {
            symbol,
            sumOpenInterest: contracts.toFixed(8),
            sumOpenInterestValue: valueUsd.toFixed(8),
            timestamp: time,
          };
        }),
    }),
    '/futures/data/topLongShortPositionRatio': ratioRoute('top'),
    '/futures/data/globalLongShortAccountRatio': ratioRoute('global'),
  };
}
