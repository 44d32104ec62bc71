import { z } from 'zod';
import { day, hour, minute } from '../../runtime/units.ts';
import { exchangeInfo, strangers } from './exchange-info.ts';
import { candlesOf, klineOf, priceKline } from './klines.ts';
import type { Instrument, Market } from './market.ts';
import { marksOf, page } from './paging.ts';
import { bits, keyOf } from './random.ts';
import { type Complaint, defineRoute, type Routes } from './route.ts';

/** Binance's own codes and words. */
export const binanceComplaint: Complaint = (parameter, given) => {
  if (given === undefined || given === '') {
    const msg = `Mandatory parameter '${parameter}' was not sent, was empty/null, or malformed.`;
    return { code: -1102, msg };
  }
  if (parameter === 'symbol' || parameter === 'pair') return { code: -1121, msg: 'Invalid symbol.' };
  if (parameter === 'interval' || parameter === 'period') return { code: -1120, msg: 'Invalid interval.' };
  return { code: -1130, msg: `Data sent for parameter '${parameter}' is not valid.` };
};

const klineWeight = ({ limit }: { limit: number }) =>
  limit < 100 ? 1 : limit < 500 ? 2 : limit <= 1000 ? 5 : 10;

/** Data pages reach one month back. */
const month = 30 * day;

const periods = {
  '5m': 5 * minute,
  '15m': 15 * minute,
  '30m': 30 * minute,
  '1h': hour,
  '4h': 4 * hour,
  '1d': day,
};
const period = z.enum(['5m', '15m', '30m', '1h', '4h', '1d']).transform((name) => periods[name]);

/** Everything of USD-M futures' REST that a collector asks for, at the shapes it has on developers.binance.com. */
export function binanceRoutes(market: Market): Routes {
  const bySymbol = new Map(market.instruments.map((instrument) => [instrument.symbol, instrument]));
  const listed = z.string().transform((symbol, context): Instrument => {
    const instrument = bySymbol.get(symbol);
    if (instrument !== undefined) return instrument;
    context.addIssue({ code: 'custom', message: 'Invalid symbol.' });
    return z.NEVER;
  });
  const one = z.object({ symbol: listed });
  const maybe = z.object({ symbol: listed.optional() });
  const { earliest } = market;

  /** One row where a symbol is given, else of every symbol and of the strangers beside them. */
  const everyRow = (
    symbol: Instrument | undefined,
    row: (instrument: Instrument) => Readonly<Record<string, unknown>>,
    ofStranger: Readonly<Record<string, unknown>> = {},
  ) => {
    if (symbol !== undefined) return row(symbol);
    const rows = market.instruments.map(row);
    return [
      ...rows,
      ...strangers.map((stranger) => ({ ...rows[0], symbol: stranger.symbol, ...ofStranger })),
    ];
  };

  const premium = (instrument: Instrument, now: number) => {
    const { symbol, fundingHours } = instrument;
    const { markPrice, indexPrice, estFunding } = market.mark(symbol, now);
    const settles = fundingHours * hour;
    return {
      symbol,
      markPrice: markPrice.toFixed(8),
      indexPrice: indexPrice.toFixed(8),
      estimatedSettlePrice: indexPrice.toFixed(8),
      lastFundingRate: estFunding.toFixed(8),
      interestRate: ((0.0001 * fundingHours) / 8).toFixed(8),
      nextFundingTime: (Math.floor(now / settles) + 1) * settles,
      time: now,
    };
  };

  /** Settlements are stamped up to 11 ms late, as the live ones; recorded ones as recorded. */
  const stamped = (symbol: string, time: number) =>
    market.sourceOf('funding', symbol) === 'recorded' ? time : time + (bits(keyOf(0, symbol), time, 1) % 12);

  const settled = (instrument: Instrument, from: number, to: number) =>
    market
      .settlements(instrument.symbol, from - 12, to)
      .map(({ symbol, time, rate }) => ({ symbol, rate, nominal: time, time: stamped(symbol, time) }))
      .filter(({ time }) => time >= from && time <= to);

  const priceKlines =
    (of: 'markPrice' | 'indexPrice') =>
    (
      query: {
        limit: number;
        interval: number;
        startTime?: number | undefined;
        endTime?: number | undefined;
      },
      { symbol }: Instrument,
      now: number,
    ) => {
      const at = (time: number) => market.mark(symbol, time)[of];
      let closed: { readonly time: number; readonly value: number } | undefined;
      return marksOf(query, query.interval, { earliest, now }).map((time) => {
        const open = closed?.time === time ? closed.value : at(time);
        const end = Math.min(time + query.interval, now);
        closed = { time: end, value: at(end) };
        return priceKline(time, open, closed.value, query.interval);
      });
    };
  const klinePage = { ...page(500, 1500), interval: period };

  const dataPage = z.object({ symbol: listed, period, ...page(30, 500) });
  const dataMarks = (query: z.output<typeof dataPage>, now: number) =>
    marksOf(query, query.period, { earliest: Math.max(earliest, now - month), now });

  const ratioRoute = (of: 'top' | 'global') =>
    defineRoute(dataPage, (query, now) =>
      dataMarks(query, now).map((timestamp) => {
        const { symbol } = query.symbol;
        const long = market.ratios(symbol, timestamp)[of];
        // Some samples of the live exchange do not sum to 1 (interface notes): neither do one in fifty here.
        const slip = bits(keyOf(1, symbol), timestamp, 1) % 50 === 0 ? 0.0007 : 0;
        return {
          symbol,
          longShortRatio: (long / (1 - long)).toFixed(4),
          longAccount: long.toFixed(4),
          shortAccount: (1 - long - slip).toFixed(4),
          timestamp,
        };
      }),
    );

  const bookTicker = (instrument: Instrument, now: number) => {
    const { symbol, priceDecimals, quantityDecimals } = instrument;
    const { bidPrice, bidQuantity, askPrice, askQuantity } = market.topOfBook(symbol, now);
    return {
      symbol,
      bidPrice: bidPrice.toFixed(priceDecimals),
      bidQty: bidQuantity.toFixed(quantityDecimals),
      askPrice: askPrice.toFixed(priceDecimals),
      askQty: askQuantity.toFixed(quantityDecimals),
      time: Math.floor(now / minute) * minute,
      lastUpdateId: Math.floor(now / minute),
    };
  };

  const dayTicker = (instrument: Instrument, now: number) => {
    const { symbol, priceDecimals } = instrument;
    const hours = candlesOf(market, instrument, '1h', { limit: 24 }, now);
    const sum = (of: (candle: (typeof hours)[number]) => number) =>
      hours.reduce((total, row) => total + of(row), 0);
    const open = hours[0]?.open ?? 0;
    const last = hours.at(-1)?.close ?? open;
    const [volume, quoteVolume] = [sum((row) => row.volume), sum((row) => row.quoteVolume)];
    return {
      symbol,
      priceChange: (last - open).toFixed(priceDecimals),
      priceChangePercent: (open > 0 ? (last / open - 1) * 100 : 0).toFixed(3),
      weightedAvgPrice: (volume > 0 ? quoteVolume / volume : last).toFixed(priceDecimals),
      lastPrice: last.toFixed(priceDecimals),
      lastQty: '1',
      openPrice: open.toFixed(priceDecimals),
      highPrice: Math.max(...hours.map(({ high }) => high)).toFixed(priceDecimals),
      lowPrice: Math.min(...hours.map(({ low }) => low)).toFixed(priceDecimals),
      volume: volume.toFixed(3),
      quoteVolume: quoteVolume.toFixed(2),
      openTime: now - day,
      closeTime: now,
      firstId: 1,
      lastId: 2,
      count: Math.round(quoteVolume / 1_500),
    };
  };

  const nothing = z.object({});
  return {
    '/fapi/v1/ping': defineRoute(nothing, () => ({})),
    '/fapi/v1/time': defineRoute(nothing, (_, now) => ({ serverTime: now })),
    '/fapi/v1/exchangeInfo': defineRoute(nothing, (_, now) => exchangeInfo(market, now)),
    '/fapi/v1/klines': defineRoute(
      z.object({ symbol: listed, ...page(500, 1500), interval: z.enum(['1h', '1d']) }),
      (query, now) =>
        candlesOf(market, query.symbol, query.interval, query, now).map((candle) =>
          klineOf(candle, query.symbol, query.interval === '1h' ? hour : day),
        ),
      klineWeight,
    ),
    '/fapi/v1/markPriceKlines': defineRoute(
      z.object({ symbol: listed, ...klinePage }),
      (query, now) => priceKlines('markPrice')(query, query.symbol, now),
      klineWeight,
    ),
    '/fapi/v1/indexPriceKlines': defineRoute(
      z.object({ pair: listed, ...klinePage }),
      (query, now) => priceKlines('indexPrice')(query, query.pair, now),
      klineWeight,
    ),
    '/fapi/v1/fundingRate': defineRoute(
      z.object({ symbol: listed.optional(), ...page(100, 1000) }),
      ({ symbol, startTime, endTime, limit }, now) => {
        const to = Math.min(endTime ?? now, now);
        // Without a start the newest are meant: reach back no further than they can lie.
        const from = startTime ?? Math.max(0, to - (limit + 1) * 8 * hour);
        const rows = (symbol === undefined ? market.instruments : [symbol])
          .flatMap((instrument) => settled(instrument, from, to))
          .sort((a, b) => a.time - b.time);
        const cut = startTime === undefined ? rows.slice(-limit) : rows.slice(0, limit);
        return cut.map(({ symbol, rate, nominal, time }) => ({
          symbol,
          fundingTime: time,
          fundingRate: rate.toFixed(8),
          markPrice: nominal < earliest ? '' : market.price(symbol, nominal).toFixed(8),
          rateType: 'Regular',
        }));
      },
    ),
    '/fapi/v1/fundingInfo': defineRoute(nothing, () =>
      market.instruments
        .filter(({ fundingHours }) => fundingHours !== 8)
        .map(({ symbol, fundingHours }) => ({
          symbol,
          adjustedFundingRateCap: '0.02000000',
          adjustedFundingRateFloor: '-0.02000000',
          fundingIntervalHours: fundingHours,
          disclaimer: false,
        })),
    ),
    '/fapi/v1/premiumIndex': defineRoute(
      maybe,
      ({ symbol }, now) =>
        everyRow(symbol, (instrument) => premium(instrument, now), {
          lastFundingRate: '0.00000000',
          interestRate: '0.00000000',
          nextFundingTime: 0,
        }),
      ({ symbol }) => (symbol === undefined ? 10 : 1),
    ),
    '/fapi/v1/openInterest': defineRoute(one, ({ symbol }, now) => ({
      symbol: symbol.symbol,
      openInterest: market.openInterest(symbol.symbol, now).contracts.toFixed(symbol.quantityDecimals),
      time: now,
    })),
    '/fapi/v1/ticker/24hr': defineRoute(
      maybe,
      ({ symbol }, now) => everyRow(symbol, (instrument) => dayTicker(instrument, now)),
      ({ symbol }) => (symbol === undefined ? 40 : 1),
    ),
    '/fapi/v1/ticker/bookTicker': defineRoute(
      maybe,
      ({ symbol }, now) => everyRow(symbol, (instrument) => bookTicker(instrument, now)),
      ({ symbol }) => (symbol === undefined ? 5 : 2),
    ),
    '/fapi/v1/depth': defineRoute(
      z.object({
        symbol: listed,
        limit: z.coerce
          .number()
          .refine((limit) => [5, 10, 20, 50, 100, 500, 1000].includes(limit))
          .default(500),
      }),
      ({ symbol, limit }, now) => depth(market, symbol, limit, now),
      ({ limit }) => (limit <= 50 ? 2 : limit <= 100 ? 5 : limit <= 500 ? 10 : 20),
    ),
    '/futures/data/openInterestHist': defineRoute(dataPage, (query, now) =>
      dataMarks(query, now).map((time) => {
        const { symbol, contracts, valueUsd } = market.openInterest(query.symbol.symbol, time);
        return {
          symbol,
          sumOpenInterest: contracts.toFixed(8),
          sumOpenInterestValue: valueUsd.toFixed(8),
          timestamp: time,
        };
      }),
    ),
    '/futures/data/topLongShortPositionRatio': ratioRoute('top'),
    '/futures/data/globalLongShortAccountRatio': ratioRoute('global'),
  };
}

/** Levels a tick apart around the top of book, each about as large as the top. */
function depth(market: Market, instrument: Instrument, limit: number, now: number) {
  const { symbol, priceDecimals, quantityDecimals } = instrument;
  const top = market.topOfBook(symbol, now);
  const key = keyOf(2, symbol);
  const time = Math.floor(now / minute) * minute;
  const side = (price: number, quantity: number, away: number) =>
    Array.from({ length: limit }, (_, level) => {
      const size =
        level === 0 ? quantity : quantity * (0.5 + (bits(key, time, away * level + 5_000) % 1_000) / 1_000);
      return [
        (price + away * level * 10 ** -priceDecimals).toFixed(priceDecimals),
        Math.max(size, 10 ** -quantityDecimals).toFixed(quantityDecimals),
      ];
    }).filter(([at]) => Number(at) > 0);
  return {
    lastUpdateId: Math.floor(now / minute),
    E: now,
    T: time,
    bids: side(top.bidPrice, top.bidQuantity, -1),
    asks: side(top.askPrice, top.askQuantity, 1),
  };
}
