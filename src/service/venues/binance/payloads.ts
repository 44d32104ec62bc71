import { z } from 'zod';
import type { Candle, Mark, OpenInterest, Ratio, SettledFunding } from '../../archive/archive.ts';
import type { MarketKind } from '../../archive/sources.ts';
import { decimal, imbalanceOf, rowsOf } from '../../exchanges/rows.ts';

/**
 * Schemas that turn Binance USD-M payloads into rows. Only the fields used are named; other fields are ignored.
 * Source: developers.binance.com, derivatives / usds-margined-futures / market-data.
 */
const time = z.int().min(0);
/** Schema of times in responses of /futures/data: a number or, as documented, a number in quotes. */
const dataTime = z.union([time, z.string().regex(/^\d+$/).transform(Number)]);

/** Delivery dates from here on mean that no end is planned: Binance gives such perpetuals the date 25 December 2100. */
const noPlannedEnd = Date.UTC(2100, 0, 1);
/** Listing states by Binance's `status`. A listing with another status is left out. */
const states: Readonly<Record<string, { readonly state?: 'PENDING' | 'ENDED' }>> = {
  TRADING: {},
  PENDING_TRADING: { state: 'PENDING' },
  PRE_SETTLE: { state: 'ENDED' },
  SETTLING: { state: 'ENDED' },
  PRE_DELIVERING: { state: 'ENDED' },
  DELIVERING: { state: 'ENDED' },
  DELIVERED: { state: 'ENDED' },
  CLOSE: { state: 'ENDED' },
};

/** Labels of a listing whose meaning is known. */
export const labels = {
  status: Object.keys(states),
  contractType: [
    '',
    ...['PERPETUAL', 'CURRENT_QUARTER', 'NEXT_QUARTER'].flatMap((type) => [type, `${type} DELIVERING`]),
    'TRADIFI_PERPETUAL',
  ],
};

const perpetuals = ['PERPETUAL', 'TRADIFI_PERPETUAL'];
const quotes = ['USDT', 'USDC'];

/** Before its first trade a perpetual has no contract type, but it lacks the underscore in the name of a dated future. */
const isPerpetual = ({ symbol, contractType }: Record<'symbol' | 'contractType', string>): boolean =>
  perpetuals.includes(contractType) || (contractType === '' && !symbol.includes('_'));

/**
 * Returns what a perpetual is on; undefined: a coin. Stocks and metals have the contract type TRADIFI_PERPETUAL; indexes
 * (BTCDOMUSDT) and coins that do not exist yet are PERPETUAL like coins. Stocks are EQUITY, KR_EQUITY and the like.
 */
function kindOf(contractType: string, underlyingType: string): MarketKind | undefined {
  if (underlyingType.endsWith('EQUITY')) return 'STOCK';
  if (underlyingType === 'COMMODITY' || underlyingType === 'INDEX' || underlyingType === 'PREMARKET')
    return underlyingType;
  return underlyingType === 'COIN' && contractType !== 'TRADIFI_PERPETUAL' ? undefined : 'OTHER';
}

/** Schema of the listings of perpetuals against USDT and USDC. */
export const listings = z
  .object({
    symbols: rowsOf(
      z
        .looseObject({
          symbol: z.string(),
          contractType: z.string(),
          status: z.string(),
          quoteAsset: z.string(),
          underlyingType: z.string().default('COIN'),
          onboardDate: time.default(0),
          deliveryDate: time.default(noPlannedEnd),
        })
        .transform(({ symbol, contractType, status, onboardDate, deliveryDate, ...of }) =>
          isPerpetual({ symbol, contractType }) &&
          states[status] !== undefined &&
          quotes.includes(of.quoteAsset)
            ? {
                symbol,
                kind: kindOf(contractType, of.underlyingType),
                listed: onboardDate,
                ...states[status],
                ...(deliveryDate > 0 && deliveryDate < noPlannedEnd && { ends: deliveryDate }),
              }
            : undefined,
        ),
    ),
  })
  .transform(({ symbols }) => symbols);

export const tickers = rowsOf(
  z
    .looseObject({ symbol: z.string(), quoteVolume: decimal, lastPrice: decimal.default(0) })
    .transform(({ symbol, quoteVolume, lastPrice }) => ({
      symbol,
      volume: quoteVolume,
      ...(lastPrice > 0 && { price: lastPrice }),
    })),
);

/** Schema of a kline: index 0 open time, 1–4 OHLC, 5 volume, 7 quote volume, 9 taker buy volume. */
const kline = z.tuple(
  [time, decimal, decimal, decimal, decimal, decimal, time, decimal, z.int(), decimal],
  z.unknown(),
);

export const klines = (symbol: string) =>
  rowsOf(
    kline.transform(
      ([time, open, high, low, close, volume, , quoteVolume, , takerBuy]): Candle => ({
        symbol,
        time,
        open,
        high,
        low,
        close,
        volume,
        takerBuy,
        quoteVolume,
      }),
    ),
  );

/** Schema of mark and index klines, of which only open time and close are used. */
export const closes = rowsOf(
  z
    .tuple([time, z.string(), z.string(), z.string(), decimal], z.unknown())
    .transform(([time, , , , close]) => ({ time, close })),
);

/**
 * Schema of settlements. A row with `rateType` Special is a dividend of a stock perpetual, not funding. Binance stamps
 * settlements a few milliseconds late; the archive keeps the nominal second.
 */
export const settlements = rowsOf(
  z
    .looseObject({
      symbol: z.string(),
      fundingTime: time,
      fundingRate: decimal,
      rateType: z.string().default('Regular'),
    })
    .transform(({ symbol, fundingTime, fundingRate, rateType }): SettledFunding | undefined =>
      rateType === 'Special'
        ? undefined
        : { symbol, time: Math.floor(fundingTime / 1_000) * 1_000, rate: fundingRate },
    ),
);

/** Schema of the present open interest of one market, in coins. */
export const openInterest = z.object({ openInterest: decimal }).transform(({ openInterest }) => openInterest);

export const openInterests = rowsOf(
  z
    .object({
      symbol: z.string(),
      timestamp: dataTime,
      sumOpenInterest: decimal,
      sumOpenInterestValue: decimal,
    })
    .transform(
      ({ symbol, timestamp, sumOpenInterest, sumOpenInterestValue }): OpenInterest => ({
        symbol,
        time: timestamp,
        contracts: sumOpenInterest,
        valueUsd: sumOpenInterestValue,
      }),
    ),
);

/** Schema of long/short ratios. Some samples do not sum to 1 (measured), so the long share is divided by the sum of both. */
export const ratios = rowsOf(
  z
    .object({ symbol: z.string(), timestamp: dataTime, longAccount: decimal, shortAccount: decimal })
    .refine(
      ({ longAccount, shortAccount }) => longAccount + shortAccount > 0,
      'longs and shorts are both zero',
    )
    .transform(
      ({ symbol, timestamp, longAccount, shortAccount }): Ratio => ({
        symbol,
        time: timestamp,
        longRatio: longAccount / (longAccount + shortAccount),
      }),
    ),
);

const isAmong =
  (wanted: ReadonlySet<string>) =>
  ({ symbol }: { readonly symbol?: unknown }) =>
    wanted.has(String(symbol));

/** Schema of the present marks. Despite its name, `lastFundingRate` is the running rate. */
export const marks = (wanted: ReadonlySet<string>, at: number) =>
  rowsOf(
    z
      .object({ symbol: z.string(), markPrice: decimal, indexPrice: decimal, lastFundingRate: decimal })
      .transform(({ lastFundingRate: estFunding, ...prices }): Mark => ({ ...prices, time: at, estFunding })),
    isAmong(wanted),
  );

export const tops = (wanted: ReadonlySet<string>) =>
  rowsOf(
    z
      .object({ symbol: z.string(), bidPrice: decimal, bidQty: decimal, askPrice: decimal, askQty: decimal })
      .transform(({ bidQty, askQty, ...prices }) => ({ ...prices, imbalance: imbalanceOf(bidQty, askQty) })),
    isAmong(wanted),
  );

export const serverTime = z.object({ serverTime: time }).transform(({ serverTime }) => serverTime);

/** Schema of the funding intervals, which Binance lists only for symbols that it has adjusted. */
export const intervals = rowsOf(
  z
    .looseObject({ symbol: z.string(), fundingIntervalHours: z.int().min(1).max(24) })
    .transform(({ symbol, fundingIntervalHours: hours }) => ({ symbol, hours })),
);
