import { z } from 'zod';
import { day } from '#src/runtime/units.ts';
import type { Market, SimulatedOption } from '#src/service/simulation/market.ts';
import { defineRoute, type ErrorBodyOf, type Routes } from './route.ts';

export const deribitErrorBody: ErrorBodyOf = (parameter) => ({
  jsonrpc: '2.0',
  error: { code: -32602, message: 'Invalid params', data: { reason: 'wrong value', param: parameter } },
  testnet: false,
});

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** Returns Deribit's name of the future of an expiry, for example BTC-26JAN24. */
const futureName = (currency: string, expiry: number): string => {
  const date = new Date(expiry);
  const year = String(date.getUTCFullYear()).slice(2);
  return `${currency}-${date.getUTCDate()}${months[date.getUTCMonth()]}${year}`;
};

/** Returns the route of the only Deribit method that is used: the whole option chain of a currency in one call. */
export function deribitRoutes(market: Market): Routes {
  const row = (
    currency: 'BTC' | 'ETH',
    { expiry, strike, kind, openInterest, impliedVolatility }: SimulatedOption,
  ) => {
    const future = futureName(currency, expiry);
    return {
      instrument_name: `${future}-${strike}-${kind}`,
      underlying_index: future,
      quote_currency: currency,
      base_currency: currency,
      open_interest: openInterest,
      mark_iv: impliedVolatility,
      mid_price: null,
    };
  };
  const query = z.object({ currency: z.enum(['BTC', 'ETH']), kind: z.literal('option') });
  return {
    '/api/v2/public/get_book_summary_by_currency': defineRoute(query, {
      answer: ({ currency }, now) => {
        const result = market.chain(currency, now).map((option) => row(currency, option));
        return {
          jsonrpc: '2.0',
          result,
          usIn: now * 1000,
          usOut: now * 1000 + 900,
          usDiff: 900,
          testnet: false,
        };
      },
    }),
  };
}

export const plainErrorBody: ErrorBodyOf = (parameter, given) => ({
  error: given === undefined ? `${parameter} is missing` : `${parameter} is not valid: ${given}`,
});

const classification = (value: number): string => {
  if (value < 25) return 'Extreme Fear';
  if (value < 46) return 'Fear';
  if (value < 55) return 'Neutral';
  return value < 76 ? 'Greed' : 'Extreme Greed';
};

/** Returns the routes of alternative.me (newest row first; limit 0 = all) and stablecoins.llama.fi (oldest row first). */
export const sentimentRoutes = (market: Market): Routes => ({
  '/fng/': defineRoute(z.object({ limit: z.coerce.number().int().min(0).default(1) }), {
    answer: ({ limit }, now) => {
      const rows = market.fearGreed(limit === 0 ? market.earliest : now - limit * day, now).reverse();
      const data = (limit === 0 ? rows : rows.slice(0, limit)).map(({ time, value }, index) => ({
        value: String(value),
        value_classification: classification(value),
        timestamp: String(time / 1000),
        ...(index === 0 ? { time_until_update: String(Math.ceil((time + day - now) / 1000)) } : {}),
      }));
      return { name: 'Fear and Greed Index', data, metadata: { error: null } };
    },
  }),
  '/stablecoincharts/all': defineRoute(z.object({}), {
    answer: (_, now) =>
      market.stablecoins(market.earliest, now).map(({ time, value }) => ({
        date: String(time / 1000),
        totalCirculating: { peggedUSD: value },
        totalCirculatingUSD: { peggedUSD: value },
        totalUnreleased: { peggedUSD: 0 },
        totalBridgedToUSD: { peggedUSD: 0 },
        totalMintedUSD: { peggedUSD: value },
      })),
  }),
});
