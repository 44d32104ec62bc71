import { type CandleInterval, candleLengths } from '../../contract/candle-interval.ts';
import { hour, minute } from '../../runtime/units.ts';
import type { Candle, TimeRange } from '../archive/archive.ts';
import { groupCandles } from '../archive/group-candles.ts';
import type { Instrument, Market } from './market.ts';
import { runningCandle } from './price.ts';

/**
 * Returns the candles whose open times are in the window. The running one is cut at `now`: of candles shorter than an hour it
 * has the minutes that are over.
 */
export function candlesBetween(
  market: Market,
  instrument: Instrument,
  { from, to, interval, now }: TimeRange & { readonly interval: CandleInterval; readonly now: number },
): Candle[] {
  const { symbol } = instrument;
  const length = candleLengths[interval];
  const first = Math.ceil(Math.max(from, market.earliest) / length) * length;
  const last = Math.floor(to / length) * length + length;
  const firstHour = Math.floor(first / hour) * hour;
  const hours = market.candles(symbol, { from: firstHour, to: Math.min(last - 1, now) });
  if (length < hour) {
    const minutes = hours.flatMap((candle) => market.minutes(candle));
    const over = Math.min(last, now);
    return groupCandles(
      minutes.filter(({ time }) => time >= first && time + minute <= over),
      length,
    );
  }
  const running = hours.at(-1);
  if (running !== undefined && running.time + hour > now) {
    const priceOf = (time: number) => market.price(symbol, time);
    hours[hours.length - 1] = runningCandle(running, { now, priceOf, decimals: instrument.quantityDecimals });
  }
  return length === hour ? hours : groupCandles(hours, length);
}
