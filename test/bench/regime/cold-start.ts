import { at, type GaussianHmm } from '#src/service/analytics/hmm.ts';

/** Shares of the observations, lowest first, that a start assigns to each of its three states. */
export type Shares = readonly [number, number, number];
export const coldShares: readonly Shares[] = [
  [0.25, 0.5, 0.25],
  [1 / 3, 1 / 3, 1 / 3],
  [0.4, 0.2, 0.4],
  [0.15, 0.7, 0.15],
  [0.1, 0.45, 0.45],
];

/** Initial probability of staying in a state, which means 50 steps on average; Baum-Welch then finds its own. */
const stay = 0.98;

/**
 * Returns three-state models, one for each of `shares`, whose states are the lowest, middle and highest observations by
 * their first feature. Starts never use an earlier model, because refits from one drift by likelihood to states that
 * differ in volatility alone. Ties are ordered by time, so that the starts depend on the observations alone.
 *
 * @param observations rows × features, flat.
 */
export function coldStarts(
  observations: Float64Array,
  features: number,
  shares: readonly Shares[] = coldShares,
): GaussianHmm[] {
  const order = Array.from({ length: observations.length / features }, (_, row) => row).sort(
    (a, b) => at(observations, a * features) - at(observations, b * features) || a - b,
  );
  return shares.map((each) => coldStart(observations, features, order, each));
}

function coldStart(
  observations: Float64Array,
  features: number,
  order: readonly number[],
  shares: Shares,
): GaussianHmm {
  const states = 3;
  const rows = order.length;
  const cuts = [0, Math.round(rows * shares[0]), Math.round(rows * (shares[0] + shares[1])), rows];
  const means = new Float64Array(states * features);
  const variances = new Float64Array(states * features);
  for (let k = 0; k < states; k++) {
    const members = order.slice(cuts[k], cuts[k + 1]);
    for (let d = 0; d < features; d++) {
      const values = members.map((row) => at(observations, row * features + d));
      const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
      means[k * features + d] = mean;
      variances[k * features + d] =
        values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length);
    }
  }
  const transition = new Float64Array(states * states).map((_, cell) =>
    cell % (states + 1) === 0 ? stay : (1 - stay) / (states - 1),
  );
  return { states, features, start: new Float64Array(states).fill(1 / states), transition, means, variances };
}

/** Returns the model with its states in ascending order of their first feature's mean. */
export function orderStates(model: GaussianHmm): GaussianHmm {
  const { states, features } = model;
  const order = Array.from({ length: states }, (_, k) => k).sort(
    (a, b) => at(model.means, a * features) - at(model.means, b * features) || a - b,
  );
  const rows = (matrix: Float64Array, width: number, cell: (row: number, column: number) => number) =>
    matrix.map((_, i) => at(matrix, cell(Math.floor(i / width), i % width)));
  const from = (row: number) => order[row] ?? row;
  return {
    ...model,
    start: rows(model.start, 1, (row) => from(row)),
    transition: rows(model.transition, states, (row, column) => from(row) * states + from(column)),
    means: rows(model.means, features, (row, column) => from(row) * features + column),
    variances: rows(model.variances, features, (row, column) => from(row) * features + column),
  };
}
