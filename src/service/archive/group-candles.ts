import type { Candle } from './archive.ts';

/** Returns the candle that consecutive candles make up. */
export function joinCandles(parts: readonly [Candle, ...Candle[]]): Candle {
  const [first] = parts;
  const joined = { ...first };
  for (const part of parts.slice(1)) {
    joined.high = Math.max(joined.high, part.high);
    joined.low = Math.min(joined.low, part.low);
    joined.close = part.close;
    joined.volume += part.volume;
    joined.takerBuy += part.takerBuy;
    joined.quoteVolume += part.quoteVolume;
  }
  return joined;
}

/** Groups ascending candles into longer ones, of which the first and the last may lack parts. @param length ms */
export function groupCandles(candles: readonly Candle[], length: number): Candle[] {
  const groups = Map.groupBy(candles, ({ time }) => Math.floor(time / length) * length);
  return [...groups].map(([time, parts]) => ({ ...joinCandles(parts as [Candle, ...Candle[]]), time }));
}
