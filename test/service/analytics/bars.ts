import { hour } from '#src/runtime/units.ts';
import type { ClosedBar } from '#src/service/analytics/regime.ts';

/** Returns a generator of uniform numbers from 0 to 1, the same for a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a standard normal number, by Box and Muller. */
export const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Returns a seeded walk of hourly closes from `start`, which trends in one direction for days, with some `holes`. */
export function trendingBars(seed: number, count: number, holes = 0): ClosedBar[] {
  const random = seededRandom(seed);
  const bars: ClosedBar[] = [];
  let time = Date.UTC(2030, 0, 1);
  let close = 100;
  let drift = 0;
  while (bars.length < count) {
    if (random() < 1 / 120) drift = (Math.floor(random() * 3) - 1) * 0.001;
    close *= Math.exp(drift + 0.005 * normal(random));
    if (random() >= holes) bars.push({ time, close });
    time += hour;
  }
  return bars;
}
