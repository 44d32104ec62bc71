/**
 * Functions that describe what values are usual. The mean and the median of an empty list are NaN, which compares as
 * false.
 */

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Returns the standard deviation of a sample (n − 1). It is exactly 0 if all values are equal, and if there are fewer
 * than two.
 */
export function standardDeviation(values: readonly number[]): number {
  const [origin = Number.NaN] = values;
  if (values.length < 2) return 0;
  // Deviations are taken from the first value: the mean of equal values is rounded, and the deviations from it would be
  // noise that others divide by.
  const moved = values.map((value) => value - origin);
  const middle = mean(moved);
  return Math.sqrt(moved.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));
}

export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? Number.NaN;
  const lower = sorted.length % 2 === 1 ? upper : (sorted[half - 1] ?? Number.NaN);
  return lower + (upper - lower) / 2;
}
