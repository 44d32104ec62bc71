import { z } from 'zod';
import { day } from '#src/runtime/units.ts';
import type { Market, SimulatedOption } from '#src/service/simulation/market.ts';
import { keyOf, uniform } from '#src/service/simulation/random.ts';
import { instrumentName, markPriceOf } from './option-quotes.ts';
import { defineRoute, type ErrorBodyOf, type Routes } from './route.ts';

export const deribitErrorBody: ErrorBodyOf = (parameter) => ({
  jsonrpc: '2.0',
  error: { code: -32602, message: 'Invalid params', data: { reason: 'wrong value', param: parameter } },
  testnet: false,
});

/** Returns bid and ask around the mark price, in coins; null for a side without a quote. */
const quoted = (name: string, { markPrice, now }: { readonly markPrice: number; readonly now: number }) => {
  const draw = uniform(keyOf(0, name), Math.floor(now / day), 3);
  const tick = 0.0005;
  const bid = Math.floor(markPrice / tick);
  const price = (ticks: number) => Number((ticks * tick).toFixed(4));
  return {
    bid: draw < 0.06 || bid === 0 ? null : price(bid),
    ask: draw > 0.97 ? null : price(bid + 1),
  };
};

/** Returns the route of the only Deribit method that is used: the whole option chain of a currency in one call. */
export function deribitRoutes(market: Market): Routes {
  const row = (
    currency: 'BTC' | 'ETH',
    { quote, spot, now }: { readonly quote: SimulatedOption; readonly spot: number; readonly now: number },
  ) => {
    const name = instrumentName(currency, quote);
    const markPrice = markPriceOf(quote, now);
    const { bid, ask } = quoted(name, { markPrice, now });
    const volume = Math.round(quote.openInterest * 0.04 * 10) / 10;
    return {
      volume,
      volume_usd: Math.round(volume * markPrice * spot * 100) / 100,
      underlying_price: quote.underlying,
      underlying_index: name.split('-').slice(0, 2).join('-'),
      quote_currency: currency,
      price_change: null,
      open_interest: quote.openInterest,
      mid_price: bid === null || ask === null ? null : (bid + ask) / 2,
      mark_price: markPrice,
      mark_iv: quote.impliedVolatility,
      low: null,
      last: markPrice,
      interest_rate: 0,
      instrument_name: name,
      high: null,
      estimated_delivery_price: spot,
      creation_timestamp: now,
      bid_price: bid,
      base_currency: currency,
      ask_price: ask,
    };
  };
  const query = z.object({ currency: z.enum(['BTC', 'ETH']), kind: z.literal('option') });
  return {
    '/api/v2/public/get_book_summary_by_currency': defineRoute(query, {
      answer: ({ currency }, now) => {
        const spot = market.price(`${currency}USDT`, now);
        const result = market.chain(currency, now).map((quote) => row(currency, { quote, spot, now }));
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
