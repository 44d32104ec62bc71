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

export function median(values: ArrayLike<number>): number {
  const all = Float64Array.from(values);
  const half = all.length >> 1;
  const upper = nth(all, half);
  // What is before it is no larger.
  const lower = all.length % 2 === 1 ? upper : largest(all.subarray(0, half));
  return lower + (upper - lower) / 2;
}

/** The value that would be at `index` in the order of size; those before it are no larger, those after no smaller. */
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
