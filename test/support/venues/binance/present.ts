import { z } from 'zod';
import { hour, minute } from '#src/runtime/units.ts';
import type { Instrument, Market } from '#src/service/simulation/market.ts';
import { temporaryListings } from '#src/service/simulation/temporary-listings.ts';
import { lastDays } from '../klines.ts';
import { defineRoute, type Routes } from '../route.ts';
import { exchangeInfo, untradedInstruments } from './exchange-info.ts';
import { instrumentBySymbol as listedIn } from './query.ts';

/** Returns the routes for present values: listings, tickers, marks, books. */
export function presentRoutes(market: Market): Routes {
  const listed = listedIn(market);
  const one = z.object({ symbol: listed });
  const maybe = z.object({ symbol: listed.optional() });
  const nothing = z.object({});
  const lastDay = lastDays(market);

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
        const row = (instrument: Instrument) => {
          const { volume, turnover } = lastDay(instrument, now);
          return {
            symbol: instrument.symbol,
            lastPrice: market.price(instrument.symbol, now).toFixed(instrument.priceDecimals),
            volume: volume.toFixed(3),
            quoteVolume: turnover.toFixed(2),
            closeTime: now,
            count: Math.round(turnover / 1_500),
          };
        };
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
  };
}

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
