import type { Instrument, Market } from '#src/service/simulation/market.ts';
import { temporaryListings } from '#src/service/simulation/temporary-listings.ts';

const listing = (instrument: Instrument, onboardDate: number) => ({
  symbol: instrument.symbol,
  pair: instrument.symbol,
  contractType: 'PERPETUAL',
  deliveryDate: 4133404800000,
  onboardDate,
  status: 'TRADING',
  baseAsset: instrument.base,
  quoteAsset: 'USDT',
  marginAsset: 'USDT',
  pricePrecision: instrument.priceDecimals,
  quantityPrecision: instrument.quantityDecimals,
  underlyingType: 'COIN',
});

/**
 * Entries of the exchange's lists that nobody trades: a dated future, a stock, an index, coins not listed yet, a coin being
 * delisted, another quote asset. Their prices repeat the first coin's.
 */
export const untradedInstruments = [
  { symbol: 'BTCUSDT_260626', pair: 'BTCUSDT', contractType: 'CURRENT_QUARTER' },
  { symbol: 'TSLAUSDT', pair: 'TSLAUSDT', contractType: 'TRADIFI_PERPETUAL', underlyingType: 'EQUITY' },
  { symbol: 'BTCDOMUSDT', pair: 'BTCDOMUSDT', contractType: 'PERPETUAL', underlyingType: 'INDEX' },
  { symbol: 'OPENAIUSDT', pair: 'OPENAIUSDT', contractType: 'PERPETUAL', underlyingType: 'PREMARKET' },
  { symbol: 'SOONUSDT', pair: 'SOONUSDT', contractType: '', status: 'PENDING_TRADING' },
  { symbol: 'OCEANUSDT', pair: 'OCEANUSDT', contractType: 'PERPETUAL', status: 'SETTLING' },
  { symbol: 'BTCUSDC', pair: 'BTCUSDC', contractType: 'PERPETUAL', quoteAsset: 'USDC', marginAsset: 'USDC' },
] as const;

const temporaryRows = (market: Market, now: number) =>
  temporaryListings(market, now).map(({ symbol, base, listed, state, ends }) => ({
    symbol,
    pair: symbol,
    baseAsset: base,
    onboardDate: listed,
    ...(state === 'PENDING' && { contractType: '', status: 'PENDING_TRADING' }),
    ...(ends !== undefined && { deliveryDate: ends }),
    ...(state === 'ENDED' && { status: 'SETTLING' }),
  }));

export const exchangeInfo = (market: Market, now: number) => {
  const [first] = market.instruments;
  return {
    timezone: 'UTC',
    serverTime: now,
    futuresType: 'U_MARGINED',
    rateLimits: [{ rateLimitType: 'REQUEST_WEIGHT', interval: 'MINUTE', intervalNum: 1, limit: 2400 }],
    symbols: [
      ...market.instruments.map((instrument) => listing(instrument, market.earliest)),
      ...(first === undefined
        ? []
        : [...untradedInstruments, ...temporaryRows(market, now)].map((row) => ({
            ...listing(first, market.earliest),
            ...row,
          }))),
    ],
  };
};
