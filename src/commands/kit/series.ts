import type { Series, Tone } from '../../alert/alert.ts';
import type { Text } from '../../language/text.ts';
import { chunksOf } from '../../runtime/chunks.ts';
import { hour } from '../../runtime/units.ts';

export type Points = Series['points'];

/** Converts rows of an answer to values over market time. */
export const points = <Row extends { readonly timestamp: string }>(
  rows: readonly Row[],
  value: (row: Row) => number | undefined,
): Points => rows.map((row) => [Date.parse(row.timestamp), value(row) ?? Number.NaN] as const);

/** Moves values to the end of their hour, for rows that carry the beginning of their hour, as candles do. */
export const atHoursEnd = (all: Points): Points => all.map(([at, value]) => [at + hour, value] as const);

/**
 * Joins neighbouring points until there are at most `limit`. A joined point has the time of its last, and the mean or sum;
 * `last` keeps the last, and the first of all, so that the change over the points stays what it was.
 */
export function downsample(
  all: Points,
  { limit, how }: { readonly limit: number; readonly how: 'mean' | 'sum' | 'last' },
): Points {
  const size = Math.ceil(all.length / limit);
  if (size <= 1) return all;
  if (how === 'last') return all.filter((_, index) => index === 0 || (all.length - 1 - index) % size === 0);
  return chunksOf(all, size).map((bucket) => {
    const known = bucket.map(([, value]) => value).filter(Number.isFinite);
    const sum = known.reduce((total, value) => total + value, 0);
    const value = known.length === 0 ? Number.NaN : how === 'sum' ? sum : sum / known.length;
    return [bucket.at(-1)?.[0] ?? Number.NaN, value] as const;
  });
}

/**
 * Returns bars with one colour and name for gains and another for losses, over the same times. Omits a sign that no
 * value has.
 */
export function bySign(all: Points, { up, down }: { up: Text; down: Text }): Series[] {
  const bars = (
    name: Text,
    { tone, value }: { readonly tone: Tone; readonly value: (given: number) => number },
  ): Series => ({
    name,
    shape: 'bars',
    tone,
    points: all.map(([at, given]) => [at, value(given)] as const),
  });
  const gains = bars(up, { tone: 'good', value: (value) => Math.max(value, 0) });
  const losses = bars(down, { tone: 'bad', value: (value) => Math.min(value, 0) });
  const falls = all.some(([, value]) => value < 0);
  return falls ? (all.some(([, value]) => value > 0) ? [gains, losses] : [losses]) : [gains];
}

/** The most points, and the most bars, that can be told apart on a phone. */
const maxShown = { points: 300, bars: 72 } as const;

export const lineOf = (name: Text, all: Points): Series => ({
  name,
  points: downsample(all, { limit: maxShown.points, how: 'mean' }),
});
export const barsOf = (
  all: Points,
  { how, names }: { readonly how: 'mean' | 'sum'; readonly names: { up: Text; down: Text } },
): Series[] => bySign(downsample(all, { limit: maxShown.bars, how }), names);

/** The most bars of a chart whose bars say their times. */
const maxTimedBars = 48;

/**
 * Divides a period into bars of equal width, a multiple of `unit`, ms. What happened after the last bar has begun counts in it.
 * `sum` adds up values by when they were; what was before the period is left out.
 */
export function barsBetween({ from, to, unit }: Readonly<Record<'from' | 'to' | 'unit', number>>) {
  const width = Math.max(1, Math.ceil((to - from) / maxTimedBars / unit)) * unit;
  const bars = Math.max(1, Math.ceil((to - from) / width));
  const sum = (all: Points): Points => {
    const sums = new Array<number>(bars).fill(0);
    for (const [at, value] of all) {
      const bar = Math.min(bars - 1, Math.floor((at - from) / width));
      if (bar >= 0) sums[bar] = (sums[bar] ?? 0) + value;
    }
    return sums.map((value, bar) => [from + bar * width, value] as const);
  };
  return { width, sum };
}

/** Scales the values so that the first is 100, to compare values of different size. Empty if the first known value is 0. */
export function scaleToHundred(all: Points): Points {
  const first = all.find(([, value]) => Number.isFinite(value))?.[1];
  return first === undefined || first === 0 ? [] : all.map(([at, value]) => [at, (value / first) * 100]);
}

/**
 * Returns the change from the first known value to the last, percent. Undefined if there are fewer than two or the
 * first is 0.
 */
export function changePct(all: Points): number | undefined {
  const known = all.filter(([, value]) => Number.isFinite(value));
  const [first, last] = [known[0]?.[1], known.at(-1)?.[1]];
  return known.length < 2 || first === undefined || last === undefined || first === 0
    ? undefined
    : (last / first - 1) * 100;
}

export const mean = (all: Points): number | undefined =>
  all.length === 0 ? undefined : all.reduce((sum, [, value]) => sum + value, 0) / all.length;
