/** How far hits lie above what is expected, of one alert, and the block of time it fell in. */
export interface Excess {
  /** Blocks follow each other as their numbers do. */
  readonly block: number;
  /** Hit or not, less the probability of a hit. */
  readonly value: number;
  /** Variance of the value, were the alert alone: p (1 − p). */
  readonly variance: number;
}

/** A mean, its standard error, and the degrees of freedom of Student's t that the two together follow. */
export interface Estimate {
  readonly mean: number;
  readonly error: number;
  readonly freedom: number;
}

/**
 * The mean of values of which those of one block may depend on each other in any way, and those of neighbouring
 * blocks too: the variance of block sums with `lags` weighted by Bartlett's kernel (Newey and West 1987 over clusters),
 * never less than if all were independent. Where moves overlap over blocks, half of them count as degrees of freedom.
 * NaN of nothing.
 */
export function meanExcess(values: readonly Excess[], lags: number): Estimate {
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
