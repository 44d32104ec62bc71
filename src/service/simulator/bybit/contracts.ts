import type { Instrument, Market } from '../market.ts';

/** Its own name of a pair: one coin's thousand stands behind it. */
export const nameOf = ({ symbol }: Instrument): string =>
  symbol === '1000SHIBUSDT' ? 'SHIB1000USDT' : symbol;

export const contractsOf = (market: Market): ReadonlyMap<string, Instrument> =>
  new Map(market.instruments.map((instrument) => [nameOf(instrument), instrument]));

/** What stands in its lists beside the coins against USDT; what is told of it repeats the first coin's. */
export const strangers = [
  { symbol: 'BTCPERP', quoteCoin: 'USDC', settleCoin: 'USDC' },
  { symbol: 'BTCUSDT-26JUN26', contractType: 'LinearFutures', fundingInterval: 0 },
  { symbol: 'TSLAUSDT', baseCoin: 'TSLA', symbolType: 'stock' },
  { symbol: 'OPENAIUSDT', baseCoin: 'OPENAI', status: 'PreLaunch', isPreListing: true },
] as const;
