import type { Liquidation } from '../archive/archive.ts';
import type { Coin } from './coin.ts';
import { liquidationsOf } from './perpetual.ts';
import type { PriceLine } from './price-line.ts';

/** Returns a function that gives the liquidations of all coins in an hour, ascending. Hours are counted since the epoch. */
export function createLiquidations(coins: readonly Coin[], prices: PriceLine) {
  // The streams read a few seconds at a time, so the last hours are cached instead of being generated for each read.
  const cached = new Map<number, readonly Liquidation[]>();
  return (at: number): readonly Liquidation[] => {
    const known = cached.get(at);
    if (known !== undefined) return known;
    const made = coins
      .flatMap((coin) => liquidationsOf(coin, { at, priceOf: (time) => prices.price(coin, time) }))
      .sort((a, b) => a.time - b.time);
    if (cached.size >= 3) cached.delete(cached.keys().next().value ?? at);
    cached.set(at, made);
    return made;
  };
}
