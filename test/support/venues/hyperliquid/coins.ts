import type { Instrument, Market } from '#src/service/simulation/market.ts';

/** Returns Hyperliquid's name of an instrument's coin. The prefix k stands for a unit of a thousand coins. */
export const coinName = ({ base }: Instrument): string => base.replace(/^1000/, 'k');

/** Returns the instruments by Hyperliquid's name. Names that are not in Latin letters are not listed there. */
export const coinsOf = (market: Market): ReadonlyMap<string, Instrument> =>
  new Map(
    market.instruments
      .filter(({ base }) => /^[A-Z0-9]+$/.test(base))
      .map((instrument) => [coinName(instrument), instrument]),
  );
