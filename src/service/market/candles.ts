import { day, hour } from '../../runtime/units.ts';
import type { Candle, TimeRange } from '../archive/archive.ts';
import type { Instrument, Market } from './market.ts';
import { runningCandle } from './price.ts';

/** Returns the candles whose open times are in the window. The running one is cut at `now`. */
export function candlesBetween(
  market: Market,
  instrument: Instrument,
  { from, to, interval, now }: TimeRange & { readonly interval: '1h' | '1d'; readonly now: number },
): Candle[] {
  const period = interval === '1h' ? hour : day;
  const first = Math.ceil(Math.max(from, market.earliest) / period) * period;
  const hours = market.candles(instrument.symbol, { from: first, to: Math.min(to + period - hour, now) });
  const last = hours.at(-1);
  if (last !== undefined && last.time + hour > now) {
    const priceOf = (time: number) => market.price(instrument.symbol, time);
    hours[hours.length - 1] = runningCandle(last, { now, priceOf, decimals: instrument.quantityDecimals });
  }
  return interval === '1h' ? hours : daily(hours);
}

function daily(hours: readonly Candle[]): Candle[] {
  const days = new Map<number, Candle>();
  for (const candle of hours) {
    const time = Math.floor(candle.time / day) * day;
    const soFar = days.get(time);
    days.set(
      time,
      soFar === undefined
        ? { ...candle, time }
        : {
            ...soFar,
            high: Math.max(soFar.high, candle.high),
            low: Math.min(soFar.low, candle.low),
            close: candle.close,
            volume: soFar.volume + candle.volume,
            takerBuy: soFar.takerBuy + candle.takerBuy,
            quoteVolume: soFar.quoteVolume + candle.quoteVolume,
          },
    );
  }
  return [...days.values()];
}
