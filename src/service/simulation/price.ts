// biome-ignore-all lint/complexity/useMaxParams: drawn for every value of the market
import { hour } from '../../runtime/units.ts';
import type { Candle } from '../archive/archive.ts';
import type { Coin } from './coin.ts';
import { normal, uniform } from './random.ts';

/** Returns 0 before the span, 1 after it, and a smooth transition within it. */
export const ramp = (fraction: number, span: { readonly from: number; readonly to: number }): number => {
  const x = Math.min(1, Math.max(0, (fraction - span.from) / (span.to - span.from)));
  return x * x * (3 - 2 * x);
};

/** Returns a standard Brownian bridge at `fraction` of the hour, by midpoint displacement down to about a minute. */
const bridge = (key: number, at: number, fraction: number): number => {
  let left = 0;
  let right = 0;
  let from = 0;
  let width = 1;
  let node = 1;
  for (let level = 0; level < 6; level += 1) {
    const middle = (left + right) / 2 + (Math.sqrt(width) / 2) * normal(key, at * 64 + node, 40);
    width /= 2;
    if (fraction < from + width) {
      right = middle;
      node = 2 * node;
    } else {
      left = middle;
      from += width;
      node = 2 * node + 1;
    }
  }
  return left + ((right - left) * (fraction - from)) / width;
};

const scales = Array.from({ length: 9 }, (_, decimals) => 10 ** decimals);

const rounded = (value: number, decimals: number): number => {
  const scale = scales[decimals] ?? 1;
  return Math.round(value * scale) / scale;
};

/** Returns the log price within an hour: the sum of a straight line, the shock in its span and a Brownian bridge. */
const logAt = (coin: Coin, at: number, fraction: number): number => {
  const start = coin.log(at);
  const burst = coin.burst(at);
  const shock = burst?.shock ?? 0;
  const straight = coin.log(at + 1) - start - shock;
  const sudden = burst === undefined ? 0 : shock * ramp(fraction, burst.span);
  return start + straight * fraction + sudden + coin.sigma(at) * bridge(coin.key, at, fraction);
};

/** Returns the values of `bridge` at 1/8 to 7/8 of the hour, computed together: these are its first 3 levels. */
const eighths = (key: number, at: number): readonly number[] => {
  const draw = (node: number, deviation: number) => deviation * normal(key, at * 64 + node, 40);
  const half = draw(1, 0.5);
  const one = half / 2 + draw(2, Math.SQRT1_2 / 2);
  const three = half / 2 + draw(3, Math.SQRT1_2 / 2);
  const odd = (left: number, right: number, node: number) => (left + right) / 2 + draw(node, 0.25);
  return [odd(0, one, 4), one, odd(one, half, 5), half, odd(half, three, 6), three, odd(three, 0, 7)];
};

/** Returns the hour's factor of the usual volume: Europe's afternoon is the busiest. */
const daytime = (at: number): number => 1 + 0.35 * Math.cos(((at % 24) - 15) * (Math.PI / 12));

/** Returns the usual volume of a day, USD. */
export const dailyVolume = (rank: number): number => 1.4e10 / (rank + 1) ** 1.15;

/** Returns the share of an hour's volume that takers bought: it follows the price move, with a little noise. */
const takerShare = (coin: Coin, at: number): number => {
  const push = (coin.log(at + 1) - coin.log(at)) / coin.sigma(at);
  return Math.min(0.7, Math.max(0.3, 0.5 + 0.05 * Math.tanh(push / 2) + 0.015 * normal(coin.key, at, 41)));
};

/** Returns the hour as a candle. Its range is estimated from points an eighth of an hour apart; `priceAt` stays within it. */
export function candleAt(coin: Coin, at: number): Candle {
  const { listing, key } = coin;
  const decimals = listing.priceDecimals;
  const first = coin.log(at);
  const last = coin.log(at + 1);
  let top = Math.max(first, last);
  let bottom = Math.min(first, last);
  const sigma = coin.sigma(at);
  const burst = coin.burst(at);
  const shock = burst?.shock ?? 0;
  let fraction = 0;
  for (const wobble of eighths(key, at)) {
    fraction += 0.125;
    const sudden = burst === undefined ? 0 : shock * ramp(fraction, burst.span);
    const value = first + (last - first - shock) * fraction + sudden + sigma * wobble;
    if (value > top) top = value;
    if (value < bottom) bottom = value;
  }
  const high = Math.exp(top + 0.15 * sigma * uniform(key, at, 42));
  const low = Math.exp(bottom - 0.15 * sigma * uniform(key, at, 43));
  const effort = 0.6 + (0.5 * Math.abs(last - first)) / sigma;
  const usual = (dailyVolume(listing.rank) / 24) * daytime(at);
  const quoteVolume = rounded(usual * effort * Math.exp(0.35 * normal(key, at, 44)), 2);
  const volume = rounded(quoteVolume / Math.exp((top + bottom) / 2), listing.quantityDecimals);
  return {
    symbol: listing.symbol,
    time: at * hour,
    open: rounded(Math.exp(first), decimals),
    high: rounded(high, decimals),
    low: rounded(low, decimals),
    close: rounded(Math.exp(last), decimals),
    volume,
    takerBuy: rounded(volume * takerShare(coin, at), listing.quantityDecimals),
    quoteVolume,
  };
}

/** Returns the price at a moment, limited to the range of the hour's candle if there is one. */
export function priceAt(coin: Coin, time: number, candle: Candle | undefined): number {
  const at = Math.floor(time / hour);
  const price = Math.exp(logAt(coin, at, time / hour - at));
  const held = candle === undefined ? price : Math.min(candle.high, Math.max(candle.low, price));
  return rounded(held, coin.listing.priceDecimals);
}

/** Returns the values of `bridge` at the 64ths of the hour. */
function bridgePoints(key: number, at: number): Float64Array {
  const points = new Float64Array(65);
  let node = 1;
  for (let span = 64, deviation = 0.5; span > 1; span /= 2, deviation *= Math.SQRT1_2) {
    for (let left = 0; left < 64; left += span, node += 1) {
      const [from, to] = [points[left] as number, points[left + span] as number];
      points[left + span / 2] = (from + to) / 2 + deviation * normal(key, at * 64 + node, 40);
    }
  }
  return points;
}

/**
 * Returns an hour's candle as the candles of its minutes: their closes are the prices of `priceAt` at their ends, their
 * extremes and sums are those of the hour.
 */
export function minutesOf(coin: Coin, candle: Candle): Candle[] {
  const { listing, key } = coin;
  const at = candle.time / hour;
  const points = bridgePoints(key, at);
  const start = coin.log(at);
  const burst = coin.burst(at);
  const shock = burst?.shock ?? 0;
  const straight = coin.log(at + 1) - start - shock;
  const sigma = coin.sigma(at);
  const priceAfter = (minutes: number): number => {
    if (minutes === 60) return candle.close;
    const fraction = minutes / 60;
    const point = Math.floor(fraction * 64);
    const [left, right] = [points[point] as number, points[point + 1] as number];
    const wobble = left + (right - left) * (fraction * 64 - point);
    const sudden = burst === undefined ? 0 : shock * ramp(fraction, burst.span);
    const price = Math.exp(start + straight * fraction + sudden + sigma * wobble);
    return rounded(Math.min(candle.high, Math.max(candle.low, price)), listing.priceDecimals);
  };
  const closes = Array.from({ length: 60 }, (_, index) => priceAfter(index + 1));
  const opens = [candle.open, ...closes.slice(0, -1)];
  const highest = closes.indexOf(Math.max(...closes));
  const lowest = closes.indexOf(Math.min(...closes));
  const weights = opens.map((_, index) => 0.5 + uniform(key, at * 64 + index, 45));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return opens.map((open, index) => {
    const close = closes[index] as number;
    const share = (weights[index] as number) / total;
    return {
      symbol: candle.symbol,
      time: candle.time + (index * hour) / 60,
      open,
      high: index === highest ? candle.high : Math.max(open, close),
      low: index === lowest ? candle.low : Math.min(open, close),
      close,
      volume: candle.volume * share,
      takerBuy: candle.takerBuy * share,
      quoteVolume: candle.quoteVolume * share,
    };
  });
}

/** Returns a candle as it was at `now`, within its hour, so that it holds nothing from after `now`. */
export function runningCandle(
  candle: Candle,
  {
    now,
    priceOf,
    decimals,
  }: { readonly now: number; readonly priceOf: (time: number) => number; readonly decimals: number },
): Candle {
  const elapsed = (now - candle.time) / hour;
  const step = hour / 60;
  let high = candle.open;
  let low = candle.open;
  const close = priceOf(now);
  for (let time = candle.time + step; time < now; time += step) {
    const price = priceOf(time);
    if (price > high) high = price;
    if (price < low) low = price;
  }
  return {
    ...candle,
    high: Math.max(high, close),
    low: Math.min(low, close),
    close,
    volume: rounded(candle.volume * elapsed, decimals),
    takerBuy: rounded(candle.takerBuy * elapsed, decimals),
    quoteVolume: rounded(candle.quoteVolume * elapsed, 2),
  };
}
