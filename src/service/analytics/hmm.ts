/**
 * Hidden Markov model with Gaussian emissions of diagonal covariance. Matrices are flat, row by row.
 * Rabiner, "A tutorial on hidden Markov models" (1989), with his scaling (section V.A).
 */
export interface GaussianHmm {
  readonly states: number;
  readonly features: number;
  /** Length `states`: the distribution of the first state. */
  readonly start: Float64Array;
  /** states × states: probabilities of a transition from the row's state to the column's. */
  readonly transition: Float64Array;
  /** states × features. */
  readonly means: Float64Array;
  readonly variances: Float64Array;
}

type Chain = Pick<GaussianHmm, 'states' | 'start' | 'transition'>;

/**
 * Returns the emission log densities (rows × states) of `observations` (rows × features).
 */
export function logDensities(model: GaussianHmm, observations: Float64Array): Float64Array {
  const { states, features, means, variances } = model;
  const rows = observations.length / features;
  const out = new Float64Array(rows * states);
  for (let k = 0; k < states; k++) {
    let constant = 0;
    for (let d = 0; d < features; d++)
      constant -= 0.5 * Math.log(2 * Math.PI * at(variances, k * features + d));
    for (let t = 0; t < rows; t++) {
      let sum = constant;
      for (let d = 0; d < features; d++) {
        const deviation = at(observations, t * features + d) - at(means, k * features + d);
        sum -= (0.5 * deviation * deviation) / at(variances, k * features + d);
      }
      out[t * states + k] = sum;
    }
  }
  return out;
}

export interface Filtered {
  readonly logLikelihood: number;
  /** rows × states: P(state at t | observations up to t). */
  readonly filtered: Float64Array;
  /** rows × states: emission densities divided by each row's largest, as the recursions use them. */
  readonly densities: Float64Array;
  /** Length rows: P(observation at t | observations before t), divided by the row's largest density. */
  readonly scale: Float64Array;
}

/** Runs the scaled forward pass over emission log densities, for any kind of emission. */
export function filter({ states, start, transition }: Chain, logDensity: Float64Array): Filtered {
  const rows = logDensity.length / states;
  const filtered = new Float64Array(rows * states);
  const densities = new Float64Array(rows * states);
  const scale = new Float64Array(rows);
  let logLikelihood = 0;
  for (let t = 0; t < rows; t++) {
    const row = t * states;
    let largest = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < states; k++) largest = Math.max(largest, at(logDensity, row + k));
    let total = 0;
    for (let k = 0; k < states; k++) {
      let predicted = 0;
      if (t === 0) predicted = at(start, k);
      else {
        for (let j = 0; j < states; j++) {
          predicted += at(filtered, row - states + j) * at(transition, j * states + k);
        }
      }
      // The floor keeps a row possible when its likeliest state cannot be reached from any other.
      const density = Math.max(Math.exp(at(logDensity, row + k) - largest), 1e-300);
      densities[row + k] = density;
      filtered[row + k] = predicted * density;
      total += predicted * density;
    }
    for (let k = 0; k < states; k++) filtered[row + k] = at(filtered, row + k) / total;
    scale[t] = total;
    logLikelihood += Math.log(total) + largest;
  }
  return { logLikelihood, filtered, densities, scale };
}

/** Reads an array element that the compiler takes to be a number; every index here is within bounds by construction. */
export const at = (values: Float64Array, index: number): number => values[index] as number;
