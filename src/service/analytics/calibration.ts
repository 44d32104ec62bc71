// biome-ignore-all lint/complexity/useMaxParams: sums over rows of numbers, thousands of times
import { z } from 'zod';
import { round } from './statistics.ts';

/**
 * The weights that turn the filtered probabilities p of the hidden Markov model (in its order RISK_OFF, TRANSITION,
 * RISK_ON) into calibrated ones, which agree with observed frequencies. The published probabilities are in proportion to
 *
 *   p(off)^sharpness,  p(transition)^sharpness · e^(stall + stalled·[the label is TRANSITION]),  p(on)^sharpness
 *
 * The weights are the same for a rise and a fall. They are fitted by maximum likelihood to what hindsight says of
 * hours long past (multinomial logistic regression). Then `shrinkage` of the whole is shared equally among the states.
 */
export const calibrationWeights = z.object({ sharpness: z.number(), stall: z.number(), stalled: z.number() });
export type CalibrationWeights = z.output<typeof calibrationWeights>;

/** One hour: the filter's probabilities, and whether the published label was TRANSITION. */
export interface FilteredHour {
  readonly filtered: readonly number[];
  readonly stalled: boolean;
}

export interface JudgedHour extends FilteredHour {
  /** The state according to hindsight, as an index of `filtered`. */
  readonly truth: number;
}

/** Weights fitted on recorded hours of BTC from 2020-11 to 2022-12, for use while there is too little past to learn from. */
export const builtInWeights: CalibrationWeights = { sharpness: 0.86, stall: -0.89, stalled: 1.33 };

/** Only one hour in this many is used for the fit: the hours between are nearly repetitions. */
const sampleEvery = 6;
/** The weight of each used hour is divided by this number: episodes last for days, so these hours are not independent. */
const weightDivisor = 8;
/** Strength of the penalty that holds the fitted weights near the built-in ones. */
const penaltyStrength = 10;
/** Newton's method converges within a few iterations; more change nothing. */
const iterations = 8;

/**
 * The share of the probability that the three states get equally. The fit sees only the past, so on hours to come its
 * probabilities are too sure of themselves. Chosen on BTC's hours of 2021-05 to 2022-12: without it the hours of which
 * 0.16 and 0.75 was said are off by 0.088 and 0.062, with it no tenth is off by more than 0.08.
 */
const shrinkage = 0.08;

/** Returns calibrated probabilities in the order of `filtered`; they sum to 1. */
export function calibrateProbabilities(reading: FilteredHour, weights: CalibrationWeights): number[] {
  const fitted = softmax(features(reading), [weights.sharpness, weights.stall, weights.stalled]);
  return fitted.map((p) => (1 - shrinkage) * p + shrinkage / fitted.length);
}

/**
 * Fits the weights to `hours`, with a penalty for distance from the built-in ones. Uses Newton's method, since the
 * likelihood is concave.
 */
export function calibrate(hours: readonly JudgedHour[]): CalibrationWeights {
  const { sharpness, stall, stalled } = builtInWeights;
  const start = [sharpness, stall, stalled];
  const samples = hours
    .filter((_, i) => i % sampleEvery === 0)
    .map((hour) => ({ rows: features(hour), truth: hour.truth }));
  let weights = start;
  for (let i = 0; i < iterations; i++) {
    const gradient = weights.map((weight, a) => penaltyStrength * (weight - (start[a] ?? 0)));
    const curvature = weights.map((_, a) => weights.map((_, b) => (a === b ? penaltyStrength : 0)));
    for (const { rows, truth } of samples) addHour(rows, truth, weights, gradient, curvature);
    const step = solve(curvature, gradient);
    weights = weights.map((weight, a) => weight - (step[a] ?? 0));
  }
  const [a = 0, b = 0, c = 0] = weights;
  return { sharpness: round(a, 4), stall: round(b, 4), stalled: round(c, 4) };
}

/**
 * Returns the Brier score of probabilities: the mean over the hours of the squared distance from the truth, summed over
 * the three states. 0 is the best score, 2 the worst.
 */
export const brierScore = (
  hours: readonly { readonly p: readonly number[]; readonly truth: number }[],
): number =>
  hours.reduce(
    (sum, { p, truth }) => sum + p.reduce((own, value, k) => own + (value - (k === truth ? 1 : 0)) ** 2, 0),
    0,
  ) / hours.length;

/** Probabilities are raised to at least this: a filter may round to 0, whose logarithm would rule a state out for good. */
const minProbability = 1e-6;

/** Returns for each state the factors that its weights are multiplied by. */
function features({ filtered, stalled }: FilteredHour): number[][] {
  const [off, transition, on] = filtered.map((p) => Math.log(Math.max(p, minProbability)));
  return [
    [off ?? 0, 0, 0],
    [transition ?? 0, 1, stalled ? 1 : 0],
    [on ?? 0, 0, 0],
  ];
}

function softmax(rows: readonly (readonly number[])[], weights: readonly number[]): number[] {
  const sums = rows.map((row) => row.reduce((sum, value, a) => sum + value * (weights[a] ?? 0), 0));
  const largest = Math.max(...sums);
  const powers = sums.map((sum) => Math.exp(sum - largest));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

/** Adds an hour's part to the gradient and the curvature of the negative log likelihood. */
function addHour(
  rows: readonly (readonly number[])[],
  truth: number,
  weights: readonly number[],
  gradient: number[],
  curvature: number[][],
): void {
  const p = softmax(rows, weights);
  const mean = weights.map((_, a) => rows.reduce((sum, row, k) => sum + (p[k] ?? 0) * (row[a] ?? 0), 0));
  for (const [a, expected] of mean.entries()) {
    gradient[a] = (gradient[a] ?? 0) + (expected - (rows[truth]?.[a] ?? 0)) / weightDivisor;
    const curvatureRow = curvature[a] as number[];
    for (const [b, other] of mean.entries()) {
      const joint = rows.reduce((sum, row, k) => sum + (p[k] ?? 0) * (row[a] ?? 0) * (row[b] ?? 0), 0);
      curvatureRow[b] = (curvatureRow[b] ?? 0) + (joint - expected * other) / weightDivisor;
    }
  }
}

/** Solves matrix·x = right for x, where the matrix is positive definite, by Gaussian elimination without pivoting. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i] ?? 0]);
  for (const [c, pivot] of rows.entries()) {
    for (const row of rows.slice(c + 1)) {
      const factor = (row[c] ?? 0) / (pivot[c] ?? 1);
      for (let k = c; k < row.length; k++) row[k] = (row[k] ?? 0) - factor * (pivot[k] ?? 0);
    }
  }
  const x = right.map(() => 0);
  for (let r = rows.length - 1; r >= 0; r--) {
    const row = rows[r] as number[];
    const known = x.reduce((sum, value, k) => sum + (k > r ? value * (row[k] ?? 0) : 0), 0);
    x[r] = ((row.at(-1) ?? 0) - known) / (row[r] ?? 1);
  }
  return x;
}
