import { at, type Filtered, filter, type GaussianHmm, logDensities } from '#src/service/analytics/hmm.ts';

export interface Expectation {
  readonly logLikelihood: number;
  /** rows × states: P(state at t | all observations). Looks ahead: for fitting only, never published. */
  readonly posterior: Float64Array;
  /** states × states: expected transitions. */
  readonly transitions: Float64Array;
}

/** Runs the scaled backward pass and returns the expectations of both passes. */
export function expect(
  { states, transition }: Pick<GaussianHmm, 'states' | 'transition'>,
  { logLikelihood, filtered, densities, scale }: Filtered,
): Expectation {
  const rows = scale.length;
  const posterior = new Float64Array(rows * states);
  const transitions = new Float64Array(states * states);
  const backward = new Float64Array(states).fill(1);
  const weighted = new Float64Array(states);
  for (let t = rows - 1; t >= 0; t--) {
    const row = t * states;
    if (t < rows - 1) {
      for (let k = 0; k < states; k++) {
        weighted[k] = (at(densities, row + states + k) * at(backward, k)) / at(scale, t + 1);
      }
      for (let j = 0; j < states; j++) {
        let sum = 0;
        for (let k = 0; k < states; k++) {
          const step = at(transition, j * states + k) * at(weighted, k);
          sum += step;
          transitions[j * states + k] = at(transitions, j * states + k) + at(filtered, row + j) * step;
        }
        backward[j] = sum;
      }
    }
    for (let k = 0; k < states; k++) posterior[row + k] = at(filtered, row + k) * at(backward, k);
  }
  return { logLikelihood, posterior, transitions };
}

export interface Fit {
  readonly model: GaussianHmm;
  readonly logLikelihood: number;
  readonly iterations: number;
}

export interface FitOptions {
  /** Smallest variance of any feature in any state, so that a state cannot collapse onto one observation. */
  readonly varianceFloor: number;
  readonly maxIterations: number;
  /** Stops when an iteration gains less than this, in log-likelihood per observation. */
  readonly tolerance: number;
}

/**
 * Runs Baum-Welch from one start. No iteration lowers the likelihood: max(variance, floor) is the constrained maximum of
 * the M step, and a state without any weight keeps its parameters.
 */
export function baumWelch(start: GaussianHmm, observations: Float64Array, options: FitOptions): Fit {
  let model: GaussianHmm = {
    ...start,
    variances: start.variances.map((variance) => Math.max(variance, options.varianceFloor)),
  };
  let before = Number.NEGATIVE_INFINITY;
  const rows = observations.length / start.features;
  for (let iterations = 0; ; iterations++) {
    const forward = filter(model, logDensities(model, observations));
    const { logLikelihood } = forward;
    if (iterations >= options.maxIterations || logLikelihood - before < options.tolerance * rows) {
      return { model, logLikelihood, iterations };
    }
    before = logLikelihood;
    model = maximise(model, observations, expect(model, forward), options.varianceFloor);
  }
}

/** Returns the best fit of several starts; of equal ones the first, so that the result depends on the input alone. */
export function fitBest(
  starts: readonly GaussianHmm[],
  observations: Float64Array,
  options: FitOptions,
): Fit {
  return starts
    .map((start) => baumWelch(start, observations, options))
    .reduce((best, fit) => (fit.logLikelihood > best.logLikelihood ? fit : best));
}

function maximise(
  model: GaussianHmm,
  observations: Float64Array,
  { posterior, transitions }: Expectation,
  floor: number,
): GaussianHmm {
  const { states, features } = model;
  const rows = posterior.length / states;
  const means = new Float64Array(states * features);
  const variances = new Float64Array(states * features);
  const weights = new Float64Array(states);
  for (let t = 0; t < rows; t++) {
    for (let k = 0; k < states; k++) {
      const weight = at(posterior, t * states + k);
      weights[k] = at(weights, k) + weight;
      for (let d = 0; d < features; d++) {
        const cell = k * features + d;
        means[cell] = at(means, cell) + weight * at(observations, t * features + d);
      }
    }
  }
  for (let cell = 0; cell < means.length; cell++) {
    const weight = at(weights, Math.floor(cell / features));
    means[cell] = weight > 0 ? at(means, cell) / weight : at(model.means, cell);
  }
  for (let t = 0; t < rows; t++) {
    for (let k = 0; k < states; k++) {
      const weight = at(posterior, t * states + k);
      for (let d = 0; d < features; d++) {
        const cell = k * features + d;
        const deviation = at(observations, t * features + d) - at(means, cell);
        variances[cell] = at(variances, cell) + weight * deviation * deviation;
      }
    }
  }
  for (let cell = 0; cell < variances.length; cell++) {
    const weight = at(weights, Math.floor(cell / features));
    variances[cell] = weight > 0 ? Math.max(floor, at(variances, cell) / weight) : at(model.variances, cell);
  }
  return {
    ...model,
    start: posterior.slice(0, states),
    transition: normaliseRows(transitions, model.transition, states),
    means,
    variances,
  };
}

function normaliseRows(counts: Float64Array, otherwise: Float64Array, states: number): Float64Array {
  return counts.map((count, cell) => {
    const row = cell - (cell % states);
    let total = 0;
    for (let k = 0; k < states; k++) total += at(counts, row + k);
    return total > 0 ? count / total : at(otherwise, cell);
  });
}
