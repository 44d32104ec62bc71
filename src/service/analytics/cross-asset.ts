import { clip, mean, round, standardDeviation } from './statistics.ts';

/**
 * The dollar's pull on risk, −1 to 1: −(z of the newest level among those given)/3, clipped; a strong dollar is
 * negative. Undefined below 10 values or where it never moved.
 *
 * @param levels one a day, ascending, of the last 30 days.
 */
export function dxyScore(levels: readonly number[]): number | undefined {
  const newest = levels.at(-1);
  const sd = standardDeviation(levels);
  if (newest === undefined || levels.length < 10 || sd === 0) return undefined;
  return round(-clip((newest - mean(levels)) / sd, 3) / 3, 4) + 0;
}

/** CBOE VIX: about its long-run quartiles, below 14 and above 23 (1990 to 2026: 14.0 and 22.7). */
export const vixSignal = (vix: number): 'LOW_VOL' | 'NORMAL_VOL' | 'HIGH_VOL' =>
  vix < 14 ? 'LOW_VOL' : vix > 23 ? 'HIGH_VOL' : 'NORMAL_VOL';

/** Change of stablecoin supply over the window given, percent; undefined below two values. */
export function stablecoinFlow(supply: readonly number[]): number | undefined {
  const [first] = supply;
  const last = supply.at(-1);
  if (first === undefined || last === undefined || supply.length < 2 || !(first > 0)) return undefined;
  return round((last / first - 1) * 100, 4);
}
