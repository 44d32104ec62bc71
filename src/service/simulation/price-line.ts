import { hour } from '../../runtime/units.ts';
import type { Candle } from '../archive/archive.ts';
import type { Coin } from './coin.ts';
import { candleAt, priceAt } from './price.ts';
import type { RecordedSymbols } from './recorded-symbol.ts';

export type PriceLine = ReturnType<typeof createPriceLine>;

/** Candles cached for each coin: what is requested most is its last day. */
const cachedHours = 32;

/** Provides each coin's prices: recorded ones if the coin is recorded, else generated ones. */
export function createPriceLine(recorded: RecordedSymbols) {
  const cached = new Map<Coin, Candle[]>();
  /** Returns the candle of an hour, given as hours since the epoch. Undefined if a recording has a gap there. */
  const candle = (coin: Coin, at: number): Candle | undefined => {
    const candles = recorded.get(coin.listing.symbol)?.candles;
    if (candles !== undefined) return candles.get(at * hour);
    const held = cached.getOrInsertComputed(coin, () => []);
    const known = held[at % cachedHours];
    if (known?.time === at * hour) return known;
    const made = candleAt(coin, at);
    held[at % cachedHours] = made;
    return made;
  };
  return {
    candle,
    price: (coin: Coin, time: number): number => priceAt(coin, time, candle(coin, Math.floor(time / hour))),
  };
}
