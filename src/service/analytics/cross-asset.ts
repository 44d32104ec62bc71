import { day } from '../../runtime/units.ts';
import { clip, mean, round, standardDeviation } from './statistics.ts';

/**
 * Returns the dollar's effect on risk assets, −1 to 1: −(z of the newest level among `levels`)/3, clipped; a strong
 * dollar gives a negative score. Undefined below 10 levels or if the level never moved.
 *
 * @param levels One level a day, ascending in time, of the last 30 days.
 */
export function dxyScore(levels: readonly number[]): number | undefined {
  const newest = levels.at(-1);
  const sd = standardDeviation(levels);
  if (newest === undefined || levels.length < 10 || sd === 0) return undefined;
  return round(-clip((newest - mean(levels)) / sd, 3) / 3, 4) + 0;
}

/** Classifies the CBOE VIX: LOW_VOL below 14, HIGH_VOL above 23. Its quartiles of 1990 to 2026 are 14.0 and 22.7. */
export const vixSignal = (vix: number): 'LOW_VOL' | 'NORMAL_VOL' | 'HIGH_VOL' =>
  vix < 14 ? 'LOW_VOL' : vix > 23 ? 'HIGH_VOL' : 'NORMAL_VOL';

/** Returns the change of the stablecoin supply from the first value to the last, percent; undefined below two values. */
export function stablecoinFlow(supply: readonly number[]): number | undefined {
  const [first] = supply;
  const last = supply.at(-1);
  if (first === undefined || last === undefined || supply.length < 2 || !(first > 0)) return undefined;
  return round((last / first - 1) * 100, 4);
}

const publicationLags: Readonly<Record<string, number>> = { broad_dollar: 8 * day };

/**
 * Returns the longest time, ms, from the end of a daily value's day to its publication. Closes are known at once. The Federal
 * Reserve publishes the broad dollar of a week on the next Monday about 21:15 UTC, on Tuesday if that is a holiday
 * (federalreserve.gov/releases/h10), so that a Monday's value may be known only eight days after its end.
 */
export const publicationLag = (series: string): number => publicationLags[series] ?? 0;
