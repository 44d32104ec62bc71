/** By how much an alert exceeds the expected share of hits, and the block of time in which the alert fell. */
export interface Excess {
  /** Number of the block; consecutive blocks have consecutive numbers. */
  readonly block: number;
  /** 1 or 0 for a hit or a miss, minus the probability of a hit. */
  readonly value: number;
  /** Variance of the value if the alert were independent of all others: p (1 − p). */
  readonly variance: number;
}

/** The least variance of a share: one that has always been 0 or 1 so far is still not certain. */
const least = 0.05;
/** Returns the variance of a hit or a miss. */
export const varianceOf = (share: number): number => Math.max(least, share * (1 - share));

/**
 * By how much a share of hits exceeds the usual one: a mean, its standard error, and the degrees of freedom of the Student's t
 * distribution that their ratio follows.
 */
export interface Estimate {
  readonly usual: number;
  readonly mean: number;
  readonly error: number;
  readonly freedom: number;
}

/**
 * Returns the mean of values that may depend on each other within a block and between neighbouring blocks: the variance
 * of block sums with `lags` weighted by Bartlett's kernel (Newey and West 1987 over clusters), but never less than if
 * all values were independent. If moves overlap over several blocks, half of the blocks count as degrees of freedom.
 * The mean of no values is NaN.
 */
export function meanExcess(values: readonly Excess[], lags: number): Omit<Estimate, 'usual'> {
  const n = values.length;
  const mean = values.reduce((sum, { value }) => sum + value, 0) / n;
  const sums = new Map<number, number>();
  for (const { block, value } of values) sums.set(block, (sums.get(block) ?? 0) + value - mean);
  let variance = 0;
  for (const [block, sum] of sums) {
    variance += sum * sum;
    for (let lag = 1; lag <= lags; lag += 1)
      variance += 2 * (1 - lag / (lags + 1)) * sum * (sums.get(block + lag) ?? 0);
  }
  const blocks = sums.size;
  const independent = values.reduce((sum, each) => sum + each.variance, 0);
  return {
    mean,
    error: Math.sqrt(Math.max((variance * blocks) / Math.max(1, blocks - 1), independent)) / n,
    freedom: Math.max(3, blocks / (lags > 1 ? 2 : 1) - 1),
  };
}
