import { z } from 'zod';
import type { MarginTiers } from '../../../runtime/liquidation-price.ts';
import { hour, minute } from '../../../runtime/units.ts';
import type { Candle, Mark, OpenInterest, Ratio, SettledFunding } from '../../archive/archive.ts';
import type { MarketKind } from '../../archive/sources.ts';
import { decimal, imbalanceOf, type Rows, rowsOf } from '../../exchanges/rows.ts';
import type { Reply } from '../../exchanges/transport.ts';
import { hoursOfInterval, type Listing, type TopOfBook } from '../venue.ts';
import { isPair, pairOf } from './symbols.ts';

/**
 * Schemas that turn Bybit's payloads about linear contracts into rows. Source: bybit-exchange.github.io/docs/v5, market and
 * websocket/public, and recorded responses (test/fixtures/bybit-payloads.ts). Lists come newest first.
 */
const successCode = z.literal(0);
const time = z.string().regex(/^\d+$/).transform(Number);
const hoursOfMinutes = (minutes: number): number => hoursOfInterval(minutes * minute);

export const serverTime = z
  .object({ retCode: successCode, time: z.int().min(0) })
  .transform(({ time }) => time);

/** Returns the HTTP status that a response means: Bybit reports errors in the body, with HTTP 200 (docs/v5/error). */
export function effectiveStatus({ status, text }: Pick<Reply, 'status' | 'text'>): number {
  // The text is CloudFront's for a blocked country.
  if (status === 403 && /from your country/i.test(text)) return 451;
  if (status !== 200) return status;
  // Mostly the first member, but the order of members means nothing. The whole text of a long answer is not searched.
  const code = Number(/"retCode"\s*:\s*(\d+)/.exec(text.slice(0, 1_000))?.[1] ?? 0);
  return code === 0 ? 200 : (statusByCode[code] ?? 500);
}
const statusByCode: Readonly<Record<number, number>> = {
  10001: 400,
  10006: 429,
  10009: 418,
  10018: 429,
  10024: 451,
  10029: 400,
};

/** Schema of the list in a response, turned round so that the oldest row is first. */
const listOf = <Row>(row: z.ZodType<Row | undefined>, isWanted?: Parameters<typeof rowsOf>[1]) =>
  z
    .object({ retCode: successCode, result: z.object({ list: rowsOf(row, isWanted) }) })
    .transform(({ result: { list } }): Rows<Row> => ({ ...list, rows: list.rows.toReversed() }));

/** What a perpetual is on, by Bybit's `symbolType`; undefined: a coin of its main and innovation zones. */
const kinds = new Map<string, MarketKind | undefined>([
  ...['', 'innovation', 'adventure'].map((zone) => [zone, undefined] as const),
  ...['stock', 'xstocks', 'mstocks', 'etf'].map((type) => [type, 'STOCK'] as const),
  ['commodity', 'COMMODITY'],
  ['forex', 'OTHER'],
]);

/**
 * Listing states by Bybit's `status`. Listings with another status are left out. A request without a status returns only
 * traded contracts.
 */
const states: Readonly<Record<string, Pick<Listing, 'state'>>> = {
  Trading: {},
  PreLaunch: { state: 'PENDING' },
  Delivering: { state: 'ENDED' },
  Closed: { state: 'ENDED' },
};

/** Labels of a listing whose meaning is known. */
export const labels = {
  status: Object.keys(states),
  contractType: ['LinearPerpetual', 'LinearFutures'],
  symbolType: [...kinds.keys()],
};

/**
 * Schema of a page of perpetuals against USDT and USDC, with the cursor of the next page. Pre-listing markets of coins that
 * do not exist yet are left out. `deliveryTime` is 0 if no end is planned; `fundingInterval` is in minutes.
 */
export const listings = z
  .object({
    retCode: successCode,
    result: z.object({
      nextPageCursor: z.string().nullish(),
      list: rowsOf(
        z
          .looseObject({
            symbol: z.string(),
            contractType: z.string(),
            status: z.string(),
            quoteCoin: z.string(),
            launchTime: time,
            deliveryTime: time.default(0),
            fundingInterval: z.int().default(0).transform(hoursOfMinutes),
            isPreListing: z.boolean().default(false),
            symbolType: z.string().default(''),
          })
          .transform(({ symbol, status, launchTime, deliveryTime, fundingInterval: fundingHours, ...of }) =>
            of.contractType === 'LinearPerpetual' &&
            states[status] !== undefined &&
            isPair(symbol) &&
            pairOf(symbol).endsWith(of.quoteCoin) &&
            !of.isPreListing &&
            kinds.has(of.symbolType)
              ? {
                  symbol: pairOf(symbol),
                  kind: kinds.get(of.symbolType),
                  listed: launchTime,
                  ...states[status],
                  ...(deliveryTime > 0 && { ends: deliveryTime }),
                  ...(fundingHours > 0 && { fundingHours }),
                }
              : undefined,
          ),
      ),
    }),
  })
  .transform(({ result: { nextPageCursor, list } }) => ({ ...list, next: nextPageCursor || undefined }));

/**
 * Schema of the list of all contracts in which only perpetuals are read, and of these the wanted ones: others may lack values,
 * such as the funding rate of a dated future. Absent: all are wanted.
 */
const tickers = <Row>(row: z.ZodType<Row>, wanted?: ReadonlySet<string>) =>
  listOf(row, ({ symbol }) => isPair(String(symbol)) && wanted?.has(pairOf(String(symbol))) !== false);

/** Schema of the volumes of the last 24 h in the quote's units, and of the last prices. */
export const volumes = tickers(
  z
    .object({ symbol: z.string(), turnover24h: decimal, lastPrice: decimal.catch(0) })
    .transform(({ symbol, turnover24h, lastPrice }) => ({
      symbol: pairOf(symbol),
      volume: turnover24h,
      ...(lastPrice > 0 && { price: lastPrice }),
    })),
);

export const marks = (wanted: ReadonlySet<string>, at: number) =>
  tickers(
    z.object({ symbol: z.string(), markPrice: decimal, indexPrice: decimal, fundingRate: decimal }).transform(
      ({ symbol, fundingRate, ...prices }): Mark => ({
        symbol: pairOf(symbol),
        time: at,
        ...prices,
        estFunding: fundingRate,
      }),
    ),
    wanted,
  );

/**
 * Fields with the open interest. `openInterest` counts both sides of each contract, unlike at other venues. Responses since
 * 2026 also have `singleOpenInterest`, which counts one side.
 */
const interestFields = { openInterest: decimal, singleOpenInterest: decimal.optional() };
const contractsOf = (given: { openInterest: number; singleOpenInterest?: number | undefined }): number =>
  given.singleOpenInterest ?? given.openInterest / 2;

export const openInterests = (wanted: ReadonlySet<string>, at: number) =>
  tickers(
    z.object({ symbol: z.string(), markPrice: decimal, ...interestFields }).transform(
      ({ symbol, markPrice, ...interest }): OpenInterest => ({
        symbol: pairOf(symbol),
        time: at,
        contracts: contractsOf(interest),
        valueUsd: contractsOf(interest) * markPrice,
      }),
    ),
    wanted,
  );

export const tops = (wanted: ReadonlySet<string>) =>
  tickers(
    z
      .object({
        symbol: z.string(),
        bid1Price: decimal,
        bid1Size: decimal,
        ask1Price: decimal,
        ask1Size: decimal,
      })
      .transform(
        ({ symbol, bid1Price, bid1Size, ask1Price, ask1Size }): TopOfBook => ({
          symbol: pairOf(symbol),
          bidPrice: bid1Price,
          askPrice: ask1Price,
          imbalance: imbalanceOf(bid1Size, ask1Size),
        }),
      ),
    wanted,
  );

/** Schema of the hours between two settlements of each wanted symbol, and the time of its last settlement. */
export const intervals = (wanted: ReadonlySet<string>) =>
  tickers(
    z
      .object({
        symbol: z.string(),
        nextFundingTime: time,
        fundingIntervalHour: z.union([z.int(), time]).pipe(z.int().min(1).max(24)),
      })
      .transform(({ symbol, nextFundingTime, fundingIntervalHour: hours }) => ({
        symbol: pairOf(symbol),
        hours,
        settled: nextFundingTime - hours * hour,
      })),
    wanted,
  );

/**
 * Schema of candles; the volume is in coins, the turnover in USDT. Bybit does not publish the volume bought by takers, so
 * half of the volume stands in for it.
 */
export const candles = (symbol: string) =>
  listOf(
    z.tuple([time, decimal, decimal, decimal, decimal, decimal, decimal], z.unknown()).transform(
      ([time, open, high, low, close, volume, quoteVolume]): Candle => ({
        symbol,
        time,
        open,
        high,
        low,
        close,
        volume,
        takerBuy: volume / 2,
        quoteVolume,
      }),
    ),
  );

export const closes = listOf(
  z
    .tuple([time, z.string(), z.string(), z.string(), decimal], z.unknown())
    .transform(([time, , , , close]) => ({ time, close })),
);

export const settlements = (symbol: string) =>
  listOf(
    z.object({ fundingRate: decimal, fundingRateTimestamp: time }).transform(
      ({ fundingRate, fundingRateTimestamp: at }): SettledFunding => ({
        symbol,
        time: Math.floor(at / 1_000) * 1_000,
        rate: fundingRate,
      }),
    ),
  );

/** Returns a time in ms. In a recorded response the oldest row's time was in seconds, all others in ms. */
const msOf = (time: number): number => (time < 1e11 ? time * 1_000 : time);

export const pastInterests = listOf(
  z
    .object({ timestamp: time, ...interestFields })
    .transform(({ timestamp, ...interest }) => ({ time: msOf(timestamp), contracts: contractsOf(interest) })),
);

/** Schema of the shares of accounts that hold more longs than shorts (`buyRatio`), and of the other accounts. */
export const ratios = (symbol: string) =>
  listOf(
    z
      .object({ buyRatio: decimal, sellRatio: decimal, timestamp: time })
      .refine(({ buyRatio, sellRatio }) => buyRatio + sellRatio > 0, 'longs and shorts are both zero')
      .transform(
        ({ buyRatio, sellRatio, timestamp }): Ratio => ({
          symbol,
          time: timestamp,
          longRatio: buyRatio / (buyRatio + sellRatio),
        }),
      ),
  );

/** A rate, which is documented as a number and sent as text. */
const rate = z.union([z.number(), decimal]);

/**
 * Schema of a contract's risk limits by the value of the position (docs/v5/market/risk-limit). The rates are fractions, but
 * percent in the documentation's example: there they are above the initial margin, which no maintenance margin can be.
 */
export const riskLimits = z
  .object({
    retCode: successCode,
    result: z.object({
      list: z.array(z.object({ riskLimitValue: decimal, maintenanceMargin: rate, maxLeverage: decimal })),
    }),
  })
  .transform(({ result: { list } }): MarginTiers => {
    const arePercent = list.every((row) => row.maintenanceMargin * row.maxLeverage >= 1);
    const tiers = list.map(({ riskLimitValue: upTo, maintenanceMargin, maxLeverage }) => ({
      upTo,
      maintenanceRate: maintenanceMargin / (arePercent ? 100 : 1),
      maxLeverage,
    }));
    return { unit: 'USD', tiers: tiers.sort((a, b) => a.upTo - b.upTo) };
  });
