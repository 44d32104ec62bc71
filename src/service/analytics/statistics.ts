/** Arithmetic mean; NaN of nothing. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] as number;
  return sum / values.length;
}

/**
 * Sample standard deviation (n − 1). Taken about the first value, so that equal values give exactly 0:
 * about their rounded mean they would not, and a z-score over them would be noise.
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

/** (value − mean) / sd over `sample`; undefined where the deviation is 0 or nothing can be said. */
export function zScore(value: number, sample: ArrayLike<number>): number | undefined {
  const sd = standardDeviation(sample);
  const z = (value - mean(sample)) / sd;
  return sd > 0 && Number.isFinite(z) ? z : undefined;
}

/** Share of `sample` below `value`, ties counted half, 0 to 100; 50 of an empty sample. */
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

/** As published: labels and signals are computed from the rounded number, so that a reader can check them. */
export function round(value: number, decimals: number): number {
  const unit = powers[decimals] ?? Number.NaN;
  const scaled = value * unit;
  const whole = Math.floor(scaled);
  const size = Math.abs(scaled);
  // Half of what is published is rounding, and toFixed writes a text each time. The product is exact to a part of 2^-53,
  // and the quotient of two whole numbers is the double nearest to it: only so near a half may toFixed say otherwise.
  if (size < 2 ** 52 && Math.abs(scaled - whole - 0.5) > size * 2 ** -52)
    return (scaled - whole < 0.5 ? whole : whole + 1) / unit + 0;
  // So large a double has no such decimals: the nearest to what is written of it is itself.
  if (size >= 2 ** 55) return value;
  const rounded = Number(value.toFixed(decimals));
  return rounded === 0 ? 0 : rounded;
}

/** Powers of ten: exact up to here. */
const powers = Array.from({ length: 16 }, (_, decimals) => 10 ** decimals);
