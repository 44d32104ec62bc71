import { z } from 'zod';
import { day, hour, minute } from '#src/runtime/units.ts';
import type { Instrument, Market } from '#src/service/simulation/market.ts';
import { bits, keyOf } from '#src/service/simulation/random.ts';
import { temporaryListings } from '#src/service/simulation/temporary-listings.ts';
import { candlesOf } from '../klines.ts';
import { defineRoute, type Routes } from '../route.ts';
import { exchangeInfo, untradedInstruments } from './exchange-info.ts';
import { instrumentBySymbol as listedIn } from './query.ts';

/** Returns the routes for present values: listings, tickers, marks, books. */
export function presentRoutes(market: Market): Routes {
  const listed = listedIn(market);
  const one = z.object({ symbol: listed });
  const maybe = z.object({ symbol: listed.optional() });
  const nothing = z.object({});

  /** Returns one row if a symbol is given, else rows of every symbol and of the `untradedInstruments`. */
  const everyRow = (
    symbol: Instrument | undefined,
    {
      row,
      ofIgnored = {},
    }: {
      readonly row: (instrument: Instrument) => Readonly<Record<string, unknown>>;
      readonly ofIgnored?: Readonly<Record<string, unknown>> | undefined;
    },
  ) => {
    if (symbol !== undefined) return row(symbol);
    const rows = market.instruments.map(row);
    return [
      ...rows,
      ...untradedInstruments.map((ignored) => ({ ...rows[0], symbol: ignored.symbol, ...ofIgnored })),
    ];
  };

  return {
    '/fapi/v1/ping': defineRoute(nothing, { answer: () => ({}) }),
    '/fapi/v1/time': defineRoute(nothing, { answer: (_, now) => ({ serverTime: now }) }),
    '/fapi/v1/exchangeInfo': defineRoute(nothing, { answer: (_, now) => exchangeInfo(market, now) }),
    '/fapi/v1/fundingInfo': defineRoute(nothing, {
      answer: (_, now) =>
        [...market.instruments, ...temporaryListings(market, now)]
          .filter(({ fundingHours }) => fundingHours !== 8)
          .map(({ symbol, fundingHours }) => ({
            symbol,
            adjustedFundingRateCap: '0.02000000',
            adjustedFundingRateFloor: '-0.02000000',
            fundingIntervalHours: fundingHours,
            disclaimer: false,
          })),
    }),
    '/fapi/v1/premiumIndex': defineRoute(maybe, {
      answer: ({ symbol }, now) =>
        everyRow(symbol, {
          row: (instrument) => premium(market, { instrument, now }),
          ofIgnored: {
            lastFundingRate: '0.00000000',
            interestRate: '0.00000000',
            nextFundingTime: 0,
          },
        }),
      weight: ({ symbol }) => (symbol === undefined ? 10 : 1),
    }),
    '/fapi/v1/openInterest': defineRoute(one, {
      answer: ({ symbol }, now) => ({
        symbol: symbol.symbol,
        openInterest: market.openInterest(symbol.symbol, now).contracts.toFixed(symbol.quantityDecimals),
        time: now,
      }),
    }),
    '/fapi/v1/ticker/24hr': defineRoute(maybe, {
      answer({ symbol }, now) {
        const row = (instrument: Instrument) => dayTicker(market, { instrument, now });
        const rows = everyRow(symbol, { row, ofIgnored: { volume: '0', quoteVolume: '0' } });
        if (!Array.isArray(rows)) return rows;
        const temporary = temporaryListings(market, now).map(({ symbol, price = 0 }) => ({
          ...rows[0],
          ...{ symbol, lastPrice: String(price), volume: '0', quoteVolume: '0' },
        }));
        return [...rows, ...temporary];
      },
      weight: ({ symbol }) => (symbol === undefined ? 40 : 1),
    }),
    '/fapi/v1/ticker/bookTicker': defineRoute(maybe, {
      answer: ({ symbol }, now) =>
        everyRow(symbol, { row: (instrument) => bookTicker(market, { instrument, now }) }),
      weight: ({ symbol }) => (symbol === undefined ? 5 : 2),
    }),
    '/fapi/v1/depth': defineRoute(
      z.object({
        symbol: listed,
        limit: z.coerce
          .number()
          .refine((limit) => [5, 10, 20, 50, 100, 500, 1000].includes(limit))
          .default(500),
      }),
      {
        answer: ({ symbol, limit }, now) => depth(market, { instrument: symbol, limit, now }),
        weight: depthWeight,
      },
    ),
  };
}

const depthWeight = ({ limit }: { limit: number }) => {
  if (limit <= 50) return 2;
  if (limit <= 100) return 5;
  return limit <= 500 ? 10 : 20;
};

function premium(
  market: Market,
  { instrument, now }: { readonly instrument: Instrument; readonly now: number },
) {
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
}

function bookTicker(
  market: Market,
  { instrument, now }: { readonly instrument: Instrument; readonly now: number },
) {
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
}

function dayTicker(
  market: Market,
  { instrument, now }: { readonly instrument: Instrument; readonly now: number },
) {
  const { symbol, priceDecimals } = instrument;
  const hours = candlesOf(market, { symbol: instrument, interval: '1h', limit: 24, now });
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
}

/** Returns an order book with levels one tick apart, each about as large as the top of the book. */
function depth(
  market: Market,
  {
    instrument,
    limit,
    now,
  }: { readonly instrument: Instrument; readonly limit: number; readonly now: number },
) {
  const { symbol, priceDecimals, quantityDecimals } = instrument;
  const top = market.topOfBook(symbol, now);
  const key = keyOf(2, symbol);
  const time = Math.floor(now / minute) * minute;
  const side = (price: number, { quantity, away }: { readonly quantity: number; readonly away: number }) =>
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
    bids: side(top.bidPrice, { quantity: top.bidQuantity, away: -1 }),
    asks: side(top.askPrice, { quantity: top.askQuantity, away: 1 }),
  };
}
