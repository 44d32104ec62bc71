/** Returns the arithmetic mean; NaN for no values. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] as number;
  return sum / values.length;
}

/**
 * Returns the sample standard deviation (n − 1). Differences are taken from the first value, so that equal values give
 * exactly 0: with differences from the rounded mean they would not, and a z-score over them would be noise.
 */
export function standardDeviation(values: ArrayLike<number>): number {
  const first = values[0];
  if (first === undefined || values.length < 2) return 0;
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < values.length; i++) {
    const d = (values[i] as number) - first;
    sum += d;
    squares += d * d;
  }
  return Math.sqrt(Math.max(0, squares - (sum * sum) / values.length) / (values.length - 1));
}

/** Returns (value − mean) / sd over `sample`; undefined if sd is 0 or the result is not finite. */
export function zScore(value: number, sample: ArrayLike<number>): number | undefined {
  const sd = standardDeviation(sample);
  const z = (value - mean(sample)) / sd;
  return sd > 0 && Number.isFinite(z) ? z : undefined;
}

/** Returns the z-score of the last of the values among all of them; undefined if there are fewer than `minimum`. */
export function newestZ(values: ArrayLike<number>, minimum: number): number | undefined {
  const newest = values[values.length - 1];
  return newest === undefined || values.length < minimum ? undefined : zScore(newest, values);
}

/** Returns the share of `sample` below `value`, ties counted half, 0 to 100; 50 for an empty sample. */
export function percentileRank(value: number, sample: ArrayLike<number>): number {
  if (sample.length === 0) return 50;
  let below = 0;
  for (let i = 0; i < sample.length; i++) {
    const other = sample[i] ?? Number.NaN;
    if (other < value) below += 1;
    else if (other === value) below += 0.5;
  }
  return (100 * below) / sample.length;
}

export const clip = (value: number, bound: number): number => Math.max(-bound, Math.min(bound, value));

/** Rounds as for publication. Labels and signals are computed from the rounded number, so that a reader can check them. */
export function round(value: number, decimals: number): number {
  const unit = powers[decimals] ?? Number.NaN;
  const scaled = value * unit;
  const floored = Math.floor(scaled);
  const size = Math.abs(scaled);
  // Rounding is half the work of publishing, and toFixed builds a string each time, so most numbers avoid it. The product
  // is exact to a part of 2^-53, and the quotient of two whole numbers is the double nearest to the true quotient: only
  // this near to a half can toFixed give another result.
  if (size < 2 ** 52 && Math.abs(scaled - floored - 0.5) > size * 2 ** -52)
    return (scaled - floored < 0.5 ? floored : floored + 1) / unit + 0;
  // The value is too large to hold these decimals: rounding to them gives the value itself.
  if (size >= 2 ** 55) return value;
  const rounded = Number(value.toFixed(decimals));
  return rounded === 0 ? 0 : rounded;
}

/** Powers of ten up to 10^15; doubles represent all of them exactly. */
const powers = Array.from({ length: 16 }, (_, decimals) => 10 ** decimals);
