import { day } from '../../runtime/units.ts';
import { mean } from './statistics.ts';

export interface Point {
  readonly time: number;
  readonly value: number;
}

/** The time over which daily returns are correlated, ms. */
export const correlationWindow = 30 * day;
const minimumReturns = 15;

/**
 * Returns the Pearson correlation of daily log returns over the 30 days up to `now`. Days end at 00:00 UTC. A day
 * counts only if both series have a new value in it, because a market that was closed did not move by 0 (so weekends
 * drop out); returns run from one counted day to the next. Undefined below 15 returns or if a series never moved.
 *
 * @param a,b Series ascending in time, from `correlationWindow` before `now`.
 */
export function correlation(a: readonly Point[], b: readonly Point[], now: number): number | undefined {
  const closesA = dailyCloses(a, now);
  const closesB = dailyCloses(b, now);
  const closePairs = [...closesA].flatMap(([date, close]) => {
    const other = closesB.get(date);
    return other === undefined ? [] : [[close, other] as const];
  });
  if (closePairs.length <= minimumReturns) return undefined;
  return pearson(
    logReturns(closePairs.map(([close]) => close)),
    logReturns(closePairs.map(([, close]) => close)),
  );
}

const logReturns = (closes: readonly number[]): number[] =>
  closes.slice(1).map((close, i) => Math.log(close / (closes[i] ?? Number.NaN)));

/** Returns the last value within each UTC day, by the day's number since the epoch. */
function dailyCloses(points: readonly Point[], now: number): Map<number, number> {
  const closes = new Map<number, number>();
  for (const { time, value } of points) {
    if (time > now - correlationWindow && time <= now && value > 0) closes.set(Math.floor(time / day), value);
  }
  return closes;
}

/** Returns Pearson's r, −1 to 1; undefined if a series has no variance. */
export function pearson(x: readonly number[], y: readonly number[]): number | undefined {
  const meanX = mean(x);
  const meanY = mean(y);
  let xy = 0;
  let xx = 0;
  let yy = 0;
  x.forEach((value, i) => {
    const dx = value - meanX;
    const dy = (y[i] ?? Number.NaN) - meanY;
    xy += dx * dy;
    xx += dx * dx;
    yy += dy * dy;
  });
  const r = xy / Math.sqrt(xx * yy);
  return Number.isFinite(r) ? Math.max(-1, Math.min(1, r)) : undefined;
}
