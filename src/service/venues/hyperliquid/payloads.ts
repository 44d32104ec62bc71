import { z } from 'zod';
import type { MarginTiers } from '../../../runtime/liquidation-price.ts';
import { minute } from '../../../runtime/units.ts';
import type { Candle, SettledFunding } from '../../archive/archive.ts';
import { isPossible } from '../../archive/possible.ts';
import { decimal, imbalanceOf, rowsOf } from '../../exchanges/rows.ts';
import type { PriceTick, TopOfBook } from '../venue.ts';
import { symbolOf } from './symbols.ts';

/**
 * Schemas that turn Hyperliquid's payloads into rows. Source: hyperliquid.gitbook.io, info endpoint and WebSocket, and
 * recorded responses (test/fixtures/hyperliquid-payloads.ts).
 */
const time = z.int().min(0);

export const status = z.object({ time }).transform(({ time }) => time);

/** The present state of one perpetual. */
export interface Context {
  readonly symbol: string;
  /** The perpetual's position in the list. It never changes, because orders identify the perpetual by it. */
  readonly number: number;
  /** Undefined, as the next two are, where Hyperliquid says 0: there is none. */
  readonly markPrice: number | undefined;
  /** The oracle's price, on which funding is based. */
  readonly indexPrice: number | undefined;
  /** The running funding rate, a fraction per hour. */
  readonly rate: number;
  /** Open interest, in coins. */
  readonly contracts: number | undefined;
  /** Volume of the last 24 h, in USD. */
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
          markPrice: context.markPx || undefined,
          indexPrice: context.oraclePx || undefined,
          contracts: context.openInterest || undefined,
          rate: context.funding,
          volume: context.dayNtlVlm,
        };
  });

const ended = z.object({ name: z.string(), number: z.int() }).transform(({ name, number }) => {
  const symbol = symbolOf(name);
  return symbol === undefined ? undefined : { symbol, number };
});

/**
 * Two lists that are matched by position, so they must have the same length: else coins would get each other's numbers.
 * `ended` holds the delisted perpetuals.
 */
export const contexts = z
  .tuple([z.looseObject({ universe: z.array(z.unknown()) }), z.array(z.unknown())])
  .refine(([{ universe }, all]) => universe.length === all.length, 'the two lists differ in length')
  .transform(([{ universe }, all]): Record<'traded' | 'ended', unknown[]> => {
    const rows = universe.map((entry, number) => ({ ...(entry as object), number, context: all[number] }));
    const isEnded = (row: object) => 'isDelisted' in row && row.isDelisted === true;
    return { traded: rows.filter((row) => !isEnded(row)), ended: rows.filter(isEnded) };
  })
  .pipe(z.object({ traded: rowsOf(context), ended: rowsOf(ended) }))
  .transform(({ traded, ended }) => ({ ...traded, ended: ended.rows }));

const marginTier = z.object({ lowerBound: decimal, maxLeverage: z.number().min(1) });

/**
 * Schema of the margin tiers of a coin, by the value of the position; undefined if the coin is not traded. Maintenance is half
 * of the initial margin at the largest leverage (margining, margin tiers). A table that is not in the list has one tier.
 */
export const marginTiers = (coin: string) =>
  z
    .object({
      universe: z.array(
        z.looseObject({
          name: z.string(),
          maxLeverage: z.number().min(1),
          marginTableId: z.int().optional(),
          isDelisted: z.boolean().default(false),
        }),
      ),
      marginTables: z.array(z.tuple([z.int(), z.object({ marginTiers: z.array(marginTier) })])),
    })
    .transform(({ universe, marginTables }, context): MarginTiers | undefined => {
      const asset = universe.find(({ name, isDelisted }) => name === coin && !isDelisted);
      if (asset === undefined) return undefined;
      const { maxLeverage, marginTableId = maxLeverage } = asset;
      const listed = marginTables.find(([id]) => id === marginTableId)?.[1].marginTiers;
      if (listed === undefined ? marginTableId !== maxLeverage : listed[0]?.lowerBound !== 0) {
        context.addIssue({ code: 'custom', message: 'has no tier from 0 on', path: ['marginTables', coin] });
        return z.NEVER;
      }
      const bounds = listed ?? [{ lowerBound: 0, maxLeverage }];
      const tiers = bounds.map(({ maxLeverage: max }, index) => ({
        upTo: bounds[index + 1]?.lowerBound,
        maintenanceRate: 0.5 / max,
        maxLeverage: max,
      }));
      return { unit: 'USD', tiers };
    });

/**
 * Schema of candles; the volume is in coins. The exchange publishes neither the takers' volume nor the volume in USD: half
 * of the volume stands in for the first, the volume at the candle's mean price for the second.
 */
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

/** Schema of hourly settlements. The exchange stamps them some milliseconds late; the archive keeps the nominal time. */
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

/** Reads a message of the channel; others hold nothing. @throws Error if it reports an error, or is not JSON */
function readChannel(text: string, channel: string): object | undefined {
  const message = z.looseObject({ channel: z.string() }).parse(JSON.parse(text));
  if (message.channel === 'error') throw new Error(`it said: ${JSON.stringify(message.data).slice(0, 200)}`);
  return message.channel === channel ? message : undefined;
}

const assetContext = z.object({
  data: z.object({ coin: z.string(), ctx: z.object({ markPx: decimal, oraclePx: decimal }) }),
});

/**
 * Reads the mark and the oracle's price of a coin. Acknowledgements and pongs hold none.
 * @throws Error if a message is not as documented, reports an error, or is not JSON
 */
export function parseTicks(text: string): PriceTick[] {
  const message = readChannel(text, 'activeAssetCtx');
  if (message === undefined) return [];
  const { coin, ctx } = assetContext.parse(message).data;
  const symbol = symbolOf(coin);
  const tick = { price: ctx.markPx, markPrice: ctx.markPx, indexPrice: ctx.oraclePx };
  return symbol !== undefined && isPossible(tick) ? [{ symbol, ...tick }] : [];
}

const level = z.object({ px: decimal, sz: decimal });
const quote = z.object({
  data: z.object({ coin: z.string(), bbo: z.tuple([level.nullish(), level.nullish()]).nullish() }),
});

/**
 * Reads the top of a book from a message. Acknowledgements, pongs and books with only one side hold none.
 * @throws Error if a message is not as documented, reports an error, or is not JSON
 */
export function parseQuotes(text: string): TopOfBook[] {
  const message = readChannel(text, 'bbo');
  if (message === undefined) return [];
  const { coin, bbo } = quote.parse(message).data;
  const [bid, ask] = bbo ?? [];
  const symbol = symbolOf(coin);
  if (!bid || !ask || symbol === undefined) return [];
  const top = { symbol, bidPrice: bid.px, askPrice: ask.px, imbalance: imbalanceOf(bid.sz, ask.sz) };
  return isPossible(top) ? [top] : [];
}
