import { z } from 'zod';

/**
 * The exchanges' payloads as documented (developers.binance.com, docs.deribit.com), strict: an answer with a field more, less
 * or of another type is invalid. The simulator is checked against them, and real recordings too where they exist.
 */
const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);
const time = z.int().positive();
const rows = <Row extends z.ZodType>(row: Row) => z.array(row).min(1);

const kline = z.tuple([
  time,
  decimal,
  decimal,
  decimal,
  decimal,
  decimal,
  time,
  decimal,
  z.int(),
  decimal,
  decimal,
  decimal,
]);
const ratio = z.strictObject({
  symbol: z.string(),
  longShortRatio: decimal,
  longAccount: decimal,
  shortAccount: decimal,
  timestamp: time,
});

export const binancePayloads: Readonly<Record<string, z.ZodType>> = {
  '/fapi/v1/time': z.strictObject({ serverTime: time }),
  '/fapi/v1/exchangeInfo': z.object({
    timezone: z.literal('UTC'),
    serverTime: time,
    rateLimits: rows(z.object({ rateLimitType: z.string(), limit: z.int() })),
    symbols: rows(
      z.object({
        symbol: z.string(),
        pair: z.string(),
        contractType: z.string(),
        status: z.string(),
        baseAsset: z.string(),
        quoteAsset: z.string(),
        marginAsset: z.string(),
        onboardDate: time,
        pricePrecision: z.int(),
        quantityPrecision: z.int(),
      }),
    ),
  }),
  '/fapi/v1/klines?symbol=BTCUSDT&interval=1h': rows(kline),
  '/fapi/v1/klines?symbol=BTCUSDT&interval=1d': rows(kline),
  '/fapi/v1/markPriceKlines?symbol=BTCUSDT&interval=5m': rows(kline),
  '/fapi/v1/indexPriceKlines?pair=BTCUSDT&interval=1h': rows(kline),
  '/fapi/v1/fundingRate?symbol=BTCUSDT': rows(
    z.strictObject({
      symbol: z.string(),
      fundingTime: time,
      fundingRate: decimal,
      markPrice: decimal,
      rateType: z.literal('Regular'),
    }),
  ),
  '/fapi/v1/fundingInfo': rows(
    z.strictObject({
      symbol: z.string(),
      adjustedFundingRateCap: decimal,
      adjustedFundingRateFloor: decimal,
      fundingIntervalHours: z.literal(4),
      disclaimer: z.boolean(),
    }),
  ),
  '/fapi/v1/premiumIndex': rows(
    z.strictObject({
      symbol: z.string(),
      markPrice: decimal,
      indexPrice: decimal,
      estimatedSettlePrice: decimal,
      lastFundingRate: decimal,
      interestRate: decimal,
      nextFundingTime: z.int(),
      time,
    }),
  ),
  '/fapi/v1/openInterest?symbol=ETHUSDT': z.strictObject({ symbol: z.string(), openInterest: decimal, time }),
  '/fapi/v1/ticker/24hr': rows(
    z.object({
      symbol: z.string(),
      lastPrice: decimal,
      quoteVolume: decimal,
      count: z.int(),
      closeTime: time,
    }),
  ),
  '/fapi/v1/ticker/bookTicker': rows(
    z.strictObject({
      symbol: z.string(),
      bidPrice: decimal,
      bidQty: decimal,
      askPrice: decimal,
      askQty: decimal,
      time,
      lastUpdateId: z.int(),
    }),
  ),
  '/futures/data/openInterestHist?symbol=BTCUSDT&period=5m': rows(
    z.strictObject({
      symbol: z.string(),
      sumOpenInterest: decimal,
      sumOpenInterestValue: decimal,
      timestamp: time,
    }),
  ),
  '/futures/data/topLongShortPositionRatio?symbol=BTCUSDT&period=15m': rows(ratio),
  '/futures/data/globalLongShortAccountRatio?symbol=BTCUSDT&period=15m': rows(ratio),
};

/** One row of get_book_summary_by_currency. `mark_iv` is separate, because the recording lacks it. */
export const chainRow = z.object({
  underlying_index: z.string(),
  open_interest: z.number().min(0),
  instrument_name: z.string().regex(/^(BTC|ETH)-\d{1,2}[A-Z]{3}\d{2}-\d+-[CP]$/),
});

export const forceOrder = z.strictObject({
  e: z.literal('forceOrder'),
  E: time,
  st: z.int(),
  o: z.object({
    s: z.string(),
    S: z.enum(['BUY', 'SELL']),
    o: z.literal('LIMIT'),
    f: z.literal('IOC'),
    q: decimal,
    p: decimal,
    ap: decimal,
    X: z.literal('FILLED'),
    l: decimal,
    z: decimal,
    T: time,
  }),
});
