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
  const all = Float64Array.from(values);
  const half = all.length >> 1;
  const upper = nth(all, half);
  // `nth` has moved values that are no larger than the upper one in front of it.
  const lower = all.length % 2 === 1 ? upper : largest(all.subarray(0, half));
  return lower + (upper - lower) / 2;
}

/**
 * Returns the value that would be at `index` if the array were sorted. It reorders the array: values before the index
 * are no larger, values after it no smaller.
 */
function nth(all: Float64Array, index: number): number {
  if (all.some(Number.isNaN)) all.sort();
  for (let [first, last] = [0, all.length - 1]; first < last; ) {
    const pivot = all[(first + last) >> 1] as number;
    let [low, high] = [first, last];
    while (low <= high) {
      while ((all[low] as number) < pivot) low += 1;
      while ((all[high] as number) > pivot) high -= 1;
      if (low > high) break;
      [all[low], all[high]] = [all[high] as number, all[low] as number];
      low += 1;
      high -= 1;
    }
    if (index <= high) last = high;
    else if (index >= low) first = low;
    else break;
  }
  return all[index] ?? Number.NaN;
}

const largest = (values: Float64Array): number =>
  values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
