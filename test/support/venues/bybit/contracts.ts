import type { Instrument, Market } from '#src/service/simulation/market.ts';

/** Returns Bybit's name of a pair. For one coin, the 1000 stands behind the coin's name. */
export const nameOf = ({ symbol }: Pick<Instrument, 'symbol'>): string =>
  symbol === '1000SHIBUSDT' ? 'SHIB1000USDT' : symbol;

export const contractsOf = (market: Market): ReadonlyMap<string, Instrument> =>
  new Map(market.instruments.map((instrument) => [nameOf(instrument), instrument]));

/**
 * Contracts in Bybit's lists that nobody trades: a perpetual against USDC, a dated future, a stock, a coin that does not exist
 * yet. Their prices repeat the first coin's.
 */
export const untradedInstruments = [
  { symbol: 'BTCPERP', quoteCoin: 'USDC', settleCoin: 'USDC' },
  { symbol: 'BTCUSDT-26JUN26', contractType: 'LinearFutures', fundingInterval: 0 },
  { symbol: 'TSLAUSDT', baseCoin: 'TSLA', symbolType: 'stock' },
  { symbol: 'OPENAIUSDT', baseCoin: 'OPENAI', status: 'PreLaunch', isPreListing: true },
] as const;
