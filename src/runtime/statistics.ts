/** What it takes to say what is usual. Mean and median of nothing are NaN, which compares false. */

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Of a sample (n − 1). Values that are all equal give exactly 0, and so do fewer than two. */
export function standardDeviation(values: readonly number[]): number {
  const [origin = Number.NaN] = values;
  if (values.length < 2) return 0;
  // About the first value: about their rounded mean, equal values would give noise to divide by.
  const moved = values.map((value) => value - origin);
  const middle = mean(moved);
  return Math.sqrt(moved.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));
}

export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const upper = sorted[sorted.length >> 1] ?? Number.NaN;
  const lower = sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
  return lower + (upper - lower) / 2;
}
