import { z } from 'zod';
import { hour } from './lengths.ts';

/** The hours of a week, from Sunday 00:00 UTC on. */
export const hoursOfWeek = 168;
/** The week of the epoch began on a Thursday. */
export const hourOfWeek = (at: number): number => (Math.floor(at / hour) + 4 * 24) % hoursOfWeek;

/** Weeks after which an hour's mean forgets, and the fewest weeks of a mean from which anything is expected. */
const remembered = 52;
const fewest = 3;

/**
 * How large moves (or sums) are at each hour of the week, relative to what was expected without regard to the hour: the
 * number of weeks and the mean of the roots of the sizes, in which one crash does not make an hour look wild for a year.
 * `spread` is the variance of a root about the mean of its hour, over `count` sizes. JSON.
 */
export const week = z.object({
  hours: z.array(z.tuple([z.number(), z.number()])).length(hoursOfWeek),
  spread: z.number(),
  count: z.number(),
});
export type Week = z.output<typeof week>;

export const newWeek = (): Week => ({
  hours: Array.from({ length: hoursOfWeek }, () => [0, 0]),
  spread: 0,
  count: 0,
});

/** Adds the relative size that was seen in the hour from `at` on. */
export function addToWeek(past: Week, { at, size }: { readonly at: number; readonly size: number }): void {
  if (!Number.isFinite(size)) return;
  const value = Math.sqrt(Math.max(0, size));
  const index = hourOfWeek(at);
  const [weeks, mean] = past.hours[index] ?? [0, 0];
  const n = Math.min(remembered, weeks + 1);
  past.hours[index] = [n, mean + (value - mean) / n];
  if (weeks === 0) return;
  // The squared difference from the mean of n values has (n + 1) / n times their variance.
  const squared = ((value - mean) ** 2 * weeks) / (weeks + 1);
  past.count = Math.min(remembered * hoursOfWeek, past.count + 1);
  past.spread += (squared - past.spread) / past.count;
}

interface Mean {
  readonly n: number;
  readonly mean: number;
}

/** Hours of the day, of weekdays and of weekends; and days of the week. */
const hourOfDay = (index: number): number => (index % 24) + (index < 24 || index >= 6 * 24 ? 24 : 0);
const dayOfWeek = (index: number): number => Math.floor(index / 24);
/** A value of a day is that of its hours together. */
const levels = [
  { groupOf: hourOfDay, valuesOf: (hours: number) => hours },
  { groupOf: dayOfWeek, valuesOf: (hours: number) => hours / 24 },
] as const;

/**
 * Of hours of the day and of days, 13 values and more are known in a quarter. They are shrunk towards 1 only as if this many
 * values of 1 had been seen too: where too little of an hour's difference is expected, the alerts of that hour are told an
 * edge that only the hour has, and where too much is, the comparison only gets less precise.
 */
const valuesOfOne = 2;

/** Whether enough is known of the hours of the week that anything is expected of them. */
const isKnown = ({ count }: Week): boolean => count >= (fewest - 1) * hoursOfWeek;

function meanRoot({ hours }: Week): number {
  const total = hours.reduce((sum, [n]) => sum + n, 0);
  return hours.reduce((sum, [n, mean]) => sum + n * mean, 0) / total;
}

/** Returns the usual size in the hour of the week; undefined if too little is known. */
export const usualSize = (past: Week, at: number): number | undefined =>
  isKnown(past) ? meanRoot(past) ** 2 * (factorsOf(past)[hourOfWeek(at)] ?? 1) : undefined;

/**
 * Returns the factor for each hour of the week, 1 on average: that of its hour of the day, on weekdays or weekends, times that
 * of its day, towards which the mean of the hour of the week itself is shrunk by the share of such differences that is noise.
 * With a variance v of a single value, the mean of n differs from the truth by v / n, and what the differences have beyond
 * that, τ², is real: the best linear guess takes τ² / (τ² + v / n) of a difference (Efron and Morris 1973).
 */
export function factorsOf(past: Week): readonly number[] {
  const { hours, spread } = past;
  const overall = meanRoot(past);
  if (!(overall > 0) || !isKnown(past)) return hours.map(() => 1);
  let roots = hours.map(() => 1);
  const left = (): readonly Mean[] =>
    hours.map(([n, mean], index) => ({ n, mean: mean / overall / (roots[index] as number) }));
  for (const { groupOf, valuesOf } of levels) {
    const groups = Map.groupBy(left().entries(), ([index]) => groupOf(index));
    const factors = new Map(
      [...groups].map(([group, own]) => {
        const n = own.reduce((sum, [, each]) => sum + each.n, 0);
        const difference = own.reduce((sum, [, each]) => sum + each.n * (each.mean - 1), 0) / Math.max(1, n);
        return [group, 1 + (difference * valuesOf(n)) / (valuesOf(n) + valuesOfOne)];
      }),
    );
    roots = roots.map((root, index) => root * (factors.get(groupOf(index)) as number));
  }
  const noise = spread / overall ** 2;
  const known = left().filter(({ n }) => n > 0);
  const real = Math.max(
    0,
    known.reduce((sum, { n, mean }) => sum + (mean - 1) ** 2 - noise / n, 0) / known.length,
  );
  return left().map(({ n, mean }, index) => {
    const kept = real === 0 || n === 0 ? 0 : real / (real + noise / n);
    return ((roots[index] as number) * (1 + kept * (mean - 1))) ** 2;
  });
}

/** Returns the factor at any time, between those of its hour and of the next. */
export function factorAt(factors: readonly number[], at: number): number {
  const part = (at / hour) % 1;
  return (1 - part) * (factors[hourOfWeek(at)] ?? 1) + part * (factors[hourOfWeek(at + hour)] ?? 1);
}
