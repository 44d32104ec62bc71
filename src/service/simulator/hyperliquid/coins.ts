import type { Instrument, Market } from '../market.ts';

/** Its own names: a thousand of a coin is k. Names of other scripts are not listed there. */
export const coinName = ({ base }: Instrument): string => base.replace(/^1000/, 'k');

export const coinsOf = (market: Market): ReadonlyMap<string, Instrument> =>
  new Map(
    market.instruments
      .filter(({ base }) => /^[A-Z0-9]+$/.test(base))
      .map((instrument) => [coinName(instrument), instrument]),
  );
