import { hour } from '../../runtime/units.ts';
import type { Candle } from '../archive/archive.ts';
import type { Coin } from './coin.ts';
import { candleAt, priceAt } from './price.ts';
import type { RecordedSymbols } from './recorded-symbol.ts';

export interface PriceLine {
  /** Returns the candle of an hour, given as hours since the epoch. Undefined if a recording has a gap there. */
  candle(coin: Coin, at: number): Candle | undefined;
  price(coin: Coin, time: number): number;
}

/** Provides each coin's prices: recorded ones if the coin is recorded, else generated ones. */
export function createPriceLine(recorded: RecordedSymbols): PriceLine {
  // Prices are mostly requested for neighbouring moments of one coin, so each coin's last candle is cached.
  const last = new Map<Coin, Candle>();
  const candle = (coin: Coin, at: number): Candle | undefined => {
    const candles = recorded.get(coin.listing.symbol)?.candles;
    if (candles !== undefined) return candles.get(at * hour);
    const held = last.get(coin);
    if (held?.time === at * hour) return held;
    const made = candleAt(coin, at);
    last.set(coin, made);
    return made;
  };
  return {
    candle,
    price: (coin, time) => priceAt(coin, { time, candle: candle(coin, Math.floor(time / hour)) }),
  };
}
