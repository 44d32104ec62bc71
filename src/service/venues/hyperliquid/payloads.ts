import { z } from 'zod';
import { minute } from '../../../runtime/units.ts';
import type { Candle, SettledFunding } from '../../archive/archive.ts';
import { decimal, rowsOf } from '../../exchanges/rows.ts';
import type { TopOfBook } from '../venue.ts';
import { symbolOf } from './symbols.ts';

/**
 * Hyperliquid's payloads → rows. Source: hyperliquid.gitbook.io, info endpoint and WebSocket, and what it was recorded
 * to answer (test/fixtures/hyperliquid-payloads.ts).
 */
const time = z.int().min(0);

export const status = z.object({ time }).transform(({ time }) => time);

/** One perpetual now. */
export interface Context {
  readonly symbol: string;
  /** Its place in the list, which it keeps for good: orders name it by that. */
  readonly number: number;
  readonly markPrice: number;
  /** The oracle's price, of which funding is made. */
  readonly indexPrice: number;
  /** Running, a fraction an hour. */
  readonly rate: number;
  /** Coins. */
  readonly contracts: number;
  /** USD in the last 24 h. */
  readonly volume: number;
}

const context = z
  .object({
    name: z.string(),
    number: z.int(),
    context: z.object({
      funding: decimal,
      openInterest: decimal,
      dayNtlVlm: decimal,
      oraclePx: decimal,
      markPx: decimal,
    }),
  })
  .transform(({ name, number, context }): Context | undefined => {
    const symbol = symbolOf(name);
    return symbol === undefined
      ? undefined
      : {
          symbol,
          number,
          markPrice: context.markPx,
          indexPrice: context.oraclePx,
          rate: context.funding,
          contracts: context.openInterest,
          volume: context.dayNtlVlm,
        };
  });

const ended = z.object({ name: z.string(), number: z.int() }).transform(({ name, number }) => {
  const symbol = symbolOf(name);
  return symbol === undefined ? undefined : { symbol, number };
});

/**
 * Two lists that belong together by position: one shorter than the other would give coins each other's numbers. `ended`
 * are those that are delisted.
 */
export const contexts = z
  .tuple([
    z.looseObject({
      universe: z.array(z.looseObject({ name: z.string(), isDelisted: z.boolean().default(false) })),
    }),
    z.array(z.unknown()),
  ])
  .refine(([{ universe }, all]) => universe.length === all.length, 'the two lists differ in length')
  .transform(([{ universe }, all]): Record<'traded' | 'ended', unknown[]> => {
    const rows = universe.map(({ name, isDelisted }, number) => ({
      name,
      number,
      isDelisted,
      context: all[number],
    }));
    return {
      traded: rows.filter(({ isDelisted }) => !isDelisted),
      ended: rows.filter(({ isDelisted }) => isDelisted),
    };
  })
  .pipe(z.object({ traded: rowsOf(context), ended: rowsOf(ended) }))
  .transform(({ traded, ended }) => ({ ...traded, ended: ended.rows }));

/** Volume in coins. What takers bought and what it came to in USD it does not say: half of it, at the mean price. */
export const candles = (symbol: string) =>
  rowsOf(
    z.object({ t: time, o: decimal, h: decimal, l: decimal, c: decimal, v: decimal }).transform(
      ({ t, o, h, l, c, v }): Candle => ({
        symbol,
        time: t,
        open: o,
        high: h,
        low: l,
        close: c,
        volume: v,
        takerBuy: v / 2,
        quoteVolume: (v * (o + h + l + c)) / 4,
      }),
    ),
  );

/** Settled every hour, stamped some milliseconds late; the archive keeps the nominal time. */
export const settlements = (symbol: string) =>
  rowsOf(
    z.object({ fundingRate: decimal, time }).transform(
      ({ fundingRate, time }): SettledFunding => ({
        symbol,
        time: Math.floor(time / minute) * minute,
        rate: fundingRate,
      }),
    ),
  );

const level = z.object({ px: decimal, sz: decimal });
const quote = z.object({
  channel: z.literal('bbo'),
  data: z.object({ coin: z.string(), bbo: z.tuple([level.nullable(), level.nullable()]) }),
});

/**
 * The top of book in one message; acknowledgements, pongs and a book with one side hold none.
 * @throws Error where one is not as promised, or the text is no JSON
 */
export function parseQuotes(text: string): TopOfBook[] {
  const message = z.looseObject({ channel: z.string() }).parse(JSON.parse(text));
  if (message.channel === 'error') throw new Error(`it said: ${JSON.stringify(message.data).slice(0, 200)}`);
  if (message.channel !== 'bbo') return [];
  const { coin, bbo } = quote.parse(message).data;
  const [bid, ask] = bbo;
  const symbol = symbolOf(coin);
  if (bid === null || ask === null || symbol === undefined) return [];
  const both = bid.sz + ask.sz;
  return [{ symbol, bidPrice: bid.px, askPrice: ask.px, imbalance: both > 0 ? (bid.sz - ask.sz) / both : 0 }];
}
