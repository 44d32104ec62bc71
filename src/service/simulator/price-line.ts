import { hour } from '../../runtime/units.ts';
import type { Candle } from '../archive/archive.ts';
import type { Coin } from './coin.ts';
import { candleAt, priceAt } from './price.ts';
import type { RecordedSymbols } from './recorded-symbol.ts';

export interface PriceLine {
  /** Of the hour with that number since the epoch; undefined where a recording has a gap. */
  candle(coin: Coin, at: number): Candle | undefined;
  price(coin: Coin, time: number): number;
}

/** What each coin costs: as recorded where it is, else as made. */
export function createPriceLine(recorded: RecordedSymbols): PriceLine {
  // Questions come in runs over neighbouring moments of one coin: its last candle is the next one too.
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
