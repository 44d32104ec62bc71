import { day, hour, minute } from '../../runtime/units.ts';
import type { Observation, TimeRange } from '../archive/archive.ts';
import type { Coin } from './coin.ts';
import { everyStep } from './every-step.ts';
import type { Factor } from './factor.ts';
import type { MacroSeries } from './market.ts';
import { drift, keyOf, normal } from './random.ts';

/** Parameters of the series: `beta` to the crypto market, and `sigma`, the standard deviation of its own hourly movement. */
const table: Record<MacroSeries, { start: number; beta: number; sigma: number; decimals: number }> = {
  sp500: { start: 4700, beta: 0.12, sigma: 0.0011, decimals: 2 },
  gold: { start: 2050, beta: 0.04, sigma: 0.0012, decimals: 2 },
  dxy: { start: 103, beta: -0.03, sigma: 0.0005, decimals: 3 },
  vix: { start: 16, beta: -1.6, sigma: 0.012, decimals: 2 },
};

/** Whether the markets are open in the hour: they are closed from Friday 21:00 to Sunday 22:00 UTC. */
const trades = (at: number): boolean => {
  const hourOfWeek = (at + 4 * 24) % 168; // the epoch was a Thursday; 0 is Sunday 00:00
  return hourOfWeek >= 22 && hourOfWeek < 5 * 24 + 21;
};

/**
 * Returns a function that gives a series' value at a time. Log levels are accumulated hour by hour and slowly return to where
 * they started.
 */
export function createMacro(seed: number, factor: Factor): (series: MacroSeries, time: number) => number {
  const levels = new Map<MacroSeries, number[]>();
  const levelAt = (series: MacroSeries, at: number): number => {
    const { beta, sigma } = table[series];
    const key = keyOf(seed, series);
    const path = levels.getOrInsertComputed(series, () => [0]);
    const index = Math.max(0, at - factor.genesis);
    while (path.length <= index) {
      const hourAt = factor.genesis + path.length - 1;
      const last = path[path.length - 1] ?? 0;
      const back = series === 'vix' ? 0.997 : 0.9998;
      const move = beta * factor.ret(hourAt) + sigma * normal(key, hourAt, 1);
      path.push(trades(hourAt) ? back * last + move : last);
    }
    return path[index] ?? 0;
  };
  return (series, time) => {
    const { start, decimals } = table[series];
    const at = Math.floor(time / hour);
    const between = time / hour - at;
    const level = levelAt(series, at) * (1 - between) + levelAt(series, at + 1) * between;
    const scale = 10 ** decimals;
    return Math.round(start * Math.exp(level) * scale) / scale;
  };
}

export const macroCadence = 15 * minute;

export const macroBetween = (
  at: (series: MacroSeries, time: number) => number,
  series: MacroSeries,
  span: TimeRange,
): Observation[] =>
  everyStep(span, macroCadence).map((time) => ({ symbol: series, time, value: at(series, time) }));

/**
 * Returns the daily fear and greed index, a whole number from 0 to 100. It depends on the leading coin's moves over a month
 * and a week, and on noise.
 */
export const fearGreedBetween = (seed: number, leader: Coin, span: TimeRange): Observation[] => {
  const key = keyOf(seed, 'fear_greed');
  return everyStep(span, day).map((time) => {
    const at = time / hour;
    const move = (days: number) => leader.log(at) - leader.log(Math.max(leader.genesis, at - days * 24));
    const mood = 2.2 * move(30) + 2.5 * move(7) + 0.25 * drift(key, time, 4 * day, 1);
    return { symbol: 'fear_greed', time, value: Math.round(50 + 46 * Math.tanh(mood)) };
  });
};

/** Returns the daily amount of stablecoins in USD. It grows slowly, and a little faster while the market rises. */
export const stablecoinsBetween = (seed: number, leader: Coin, span: TimeRange): Observation[] => {
  const key = keyOf(seed, 'stablecoins');
  return everyStep(span, day).map((time) => {
    const at = time / hour;
    const month = leader.log(at) - leader.log(Math.max(leader.genesis, at - 720));
    const years = (at - leader.genesis) / 8760;
    const level = 0.15 * years + 0.03 * Math.tanh(2 * month) + 0.004 * drift(key, time, 5 * day, 1);
    return { symbol: 'stablecoins', time, value: Math.round(1.38e11 * Math.exp(level)) };
  });
};
