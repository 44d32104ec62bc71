import { z } from 'zod';
import type { Candle, Mark, OpenInterest, Ratio, Settlement } from '../archive/archive.ts';

/**
 * Binance USD-M payloads → rows. Only the fields used are named; what else comes is ignored.
 * Source: developers.binance.com, derivatives / usds-margined-futures / market-data.
 */
const decimal = z
  .string()
  .min(1)
  .transform(Number)
  .pipe(z.number({ error: 'a decimal string is expected' }));
const time = z.int().min(0);

/** Lists of every symbol hold dated futures and what else is listed: only the wanted rows must be as promised. */
const rowsOf = <Row>(wanted: ReadonlySet<string>, row: z.ZodType<Row>) =>
  z.preprocess(
    (rows) => (Array.isArray(rows) ? rows.filter((entry) => wanted.has(entry?.symbol)) : rows),
    z.array(row),
  );

/** Listing of the perpetuals that are traded against USDT; stock perpetuals are TRADIFI_PERPETUAL. */
export const listings = z
  .object({
    symbols: z.array(
      z.looseObject({
        symbol: z.string(),
        contractType: z.string(),
        status: z.string(),
        quoteAsset: z.string(),
        onboardDate: time.default(0),
      }),
    ),
  })
  .transform(({ symbols }) =>
    symbols
      .filter(
        ({ contractType, status, quoteAsset }) =>
          contractType === 'PERPETUAL' && status === 'TRADING' && quoteAsset === 'USDT',
      )
      .map(({ symbol, onboardDate }) => ({ symbol, listed: onboardDate })),
  );

export const volumes = z.array(z.looseObject({ symbol: z.string(), quoteVolume: decimal }));

/** Index 0 open time, 1–4 OHLC, 5 volume, 7 quote volume, 9 taker buy volume. */
const kline = z.tuple(
  [time, decimal, decimal, decimal, decimal, decimal, time, decimal, z.int(), decimal],
  z.unknown(),
);

export const klines = (symbol: string) =>
  z.array(
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

/** Of mark and index klines only open time and close are meaningful. */
export const closes = z.array(
  z
    .tuple([time, z.string(), z.string(), z.string(), decimal], z.unknown())
    .transform(([time, , , , close]) => ({ time, close })),
);

/** `rateType` Special is a dividend of a stock perpetual, no funding. */
export const settlements = z
  .array(
    z.looseObject({
      symbol: z.string(),
      fundingTime: time,
      fundingRate: decimal,
      rateType: z.string().default('Regular'),
    }),
  )
  .transform((rows) =>
    rows
      .filter(({ rateType }) => rateType !== 'Special')
      // Settlements are stamped a few milliseconds late; the archive keeps the nominal second.
      .map(
        ({ symbol, fundingTime, fundingRate }): Settlement => ({
          symbol,
          time: Math.floor(fundingTime / 1_000) * 1_000,
          rate: fundingRate,
        }),
      ),
  );

export const openInterests = z.array(
  z
    .object({ symbol: z.string(), timestamp: time, sumOpenInterest: decimal, sumOpenInterestValue: decimal })
    .transform(
      ({ symbol, timestamp, sumOpenInterest, sumOpenInterestValue }): OpenInterest => ({
        symbol,
        time: timestamp,
        contracts: sumOpenInterest,
        valueUsd: sumOpenInterestValue,
      }),
    ),
);

/** Some samples do not sum to 1 (measured on the exchange's own record): the long share of both is kept. */
export const ratios = z.array(
  z
    .object({ symbol: z.string(), timestamp: time, longAccount: decimal, shortAccount: decimal })
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

/** `lastFundingRate` is the running rate, in spite of its name. */
export const marks = (wanted: ReadonlySet<string>, at: number) =>
  rowsOf(
    wanted,
    z
      .object({ symbol: z.string(), markPrice: decimal, indexPrice: decimal, lastFundingRate: decimal })
      .transform(
        ({ symbol, markPrice, indexPrice, lastFundingRate }): Mark => ({
          symbol,
          time: at,
          markPrice,
          indexPrice,
          estFunding: lastFundingRate,
        }),
      ),
  );

export const tops = (wanted: ReadonlySet<string>) =>
  rowsOf(
    wanted,
    z
      .object({ symbol: z.string(), bidPrice: decimal, bidQty: decimal, askPrice: decimal, askQty: decimal })
      .transform(({ symbol, bidPrice, bidQty, askPrice, askQty }) => ({
        symbol,
        bidPrice,
        askPrice,
        imbalance: bidQty + askQty > 0 ? (bidQty - askQty) / (bidQty + askQty) : 0,
      })),
  );

export const serverTime = z.object({ serverTime: time }).transform(({ serverTime }) => serverTime);
