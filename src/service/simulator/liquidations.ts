import type { Liquidation } from '../archive/archive.ts';
import type { Coin } from './coin.ts';
import { liquidationsOf } from './perpetual.ts';
import type { PriceLine } from './price-line.ts';

/** Forced orders of all coins in the hour with that number since the epoch, ascending. */
export function createLiquidations(coins: readonly Coin[], prices: PriceLine) {
  // The stream asks for a few seconds at a time of all coins: an hour is made once and kept while it lasts.
  const kept = new Map<number, readonly Liquidation[]>();
  return (at: number): readonly Liquidation[] => {
    const held = kept.get(at);
    if (held !== undefined) return held;
    const made = coins
      .flatMap((coin) => liquidationsOf(coin, { at, priceOf: (time) => prices.price(coin, time) }))
      .sort((a, b) => a.time - b.time);
    if (kept.size >= 3) kept.delete(kept.keys().next().value ?? at);
    kept.set(at, made);
    return made;
  };
}
