/** What a detector needs to know what is usual. Each is NaN of nothing, and NaN compares false. */

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Of a sample (n − 1). Values that are all equal give exactly 0. */
export function standardDeviation(values: readonly number[]): number {
  const origin = values[0] ?? Number.NaN;
  // About the first value: about their rounded mean, equal values would give noise to divide by.
  const moved = values.map((value) => value - origin);
  const middle = mean(moved);
  return Math.sqrt(moved.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? Number.NaN;
  const lower = sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
  return lower + (upper - lower) / 2;
}
