import { day } from '../../runtime/units.ts';
import { mean } from './statistics.ts';

export interface Point {
  readonly time: number;
  readonly value: number;
}

/** Returns are daily, correlated over this many days. */
export const correlationWindow = 30 * day;
const minimumReturns = 15;

/**
 * Pearson correlation of daily log returns over the 30 days up to `now`. Days end at 00:00 UTC; a day counts
 * where both series have a new value in it, because a market that was closed did not move by 0 (weekends drop
 * out); returns run from one such day to the next. Undefined below 15 returns or where one side never moved.
 *
 * @param a,b ascending in time, from `correlationWindow` before `now`.
 */
export function correlation(
  a: readonly Point[],
  { b, now }: { readonly b: readonly Point[]; readonly now: number },
): number | undefined {
  const closesA = dailyCloses(a, now);
  const closesB = dailyCloses(b, now);
  const both = [...closesA].flatMap(([date, close]) => {
    const other = closesB.get(date);
    return other === undefined ? [] : [[close, other] as const];
  });
  if (both.length <= minimumReturns) return undefined;
  return pearson(logReturns(both.map(([close]) => close)), logReturns(both.map(([, close]) => close)));
}

const logReturns = (closes: readonly number[]): number[] =>
  closes.slice(1).map((close, i) => Math.log(close / (closes[i] ?? Number.NaN)));

/** The last value within each UTC day. */
function dailyCloses(points: readonly Point[], now: number): Map<number, number> {
  const closes = new Map<number, number>();
  for (const { time, value } of points) {
    if (time > now - correlationWindow && time <= now && value > 0) closes.set(Math.floor(time / day), value);
  }
  return closes;
}

/** Pearson's r, −1 to 1; undefined where a side has no variance. */
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
