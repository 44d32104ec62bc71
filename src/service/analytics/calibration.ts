// biome-ignore-all lint/complexity/useMaxParams: sums over rows of numbers, thousands of times
import { z } from 'zod';
import { round } from './statistics.ts';

/**
 * Filtered probabilities made into frequencies. Of a hidden Markov model's p, in its order RISK_OFF, TRANSITION,
 * RISK_ON, the published are in proportion to
 *
 *   p(off)^sharpness,  p(transition)^sharpness · e^(stall + stalled·[the label is TRANSITION]),  p(on)^sharpness
 *
 * three weights, the same for a rise and a fall, found as the most likely under what hindsight says of hours long past
 * (multinomial logistic regression).
 */
export const calibrationWeights = z.object({ sharpness: z.number(), stall: z.number(), stalled: z.number() });
export type CalibrationWeights = z.output<typeof calibrationWeights>;

/** One hour: what the filter said, and whether the published label was TRANSITION. */
export interface FilteredHour {
  readonly filtered: readonly number[];
  readonly stalled: boolean;
}

export interface JudgedHour extends FilteredHour {
  /** What hindsight says, an index of `filtered`. */
  readonly truth: number;
}

/** Fitted on BTC's hours of 2020-11 to 2022-12, recorded: what is said where there is no past yet to learn from. */
export const builtInWeights: CalibrationWeights = { sharpness: 0.86, stall: -0.89, stalled: 1.33 };

/** Hours between two that are learned from: what is between them is nearly a repetition. */
const apart = 6;
/** Also of those, one in this many is counted as new: episodes last for days. */
const dependence = 8;
/** How strongly what is built in holds against what is learned. */
const trust = 10;
/** Newton's method is there within a few; more change nothing. */
const iterations = 8;

/** Probabilities in the order of `filtered`; they sum to 1. */
export function calibrated(reading: FilteredHour, weights: CalibrationWeights): number[] {
  return shares(features(reading), [weights.sharpness, weights.stall, weights.stalled]);
}

/** The weights that `hours` teach, held to the built-in ones. By Newton's method: the likelihood is concave. */
export function calibrate(hours: readonly JudgedHour[]): CalibrationWeights {
  const { sharpness, stall, stalled } = builtInWeights;
  const start = [sharpness, stall, stalled];
  const seen = hours
    .filter((_, i) => i % apart === 0)
    .map((hour) => ({ rows: features(hour), truth: hour.truth }));
  let weights = start;
  for (let i = 0; i < iterations; i++) {
    const gradient = weights.map((weight, a) => trust * (weight - (start[a] ?? 0)));
    const curvature = weights.map((_, a) => weights.map((_, b) => (a === b ? trust : 0)));
    for (const { rows, truth } of seen) addHour(rows, truth, weights, gradient, curvature);
    const step = solve(curvature, gradient);
    weights = weights.map((weight, a) => weight - (step[a] ?? 0));
  }
  const [a = 0, b = 0, c = 0] = weights;
  return { sharpness: round(a, 4), stall: round(b, 4), stalled: round(c, 4) };
}

/** How well probabilities did: mean squared distance over the three states; 0 best, 2 worst. */
export const brier = (hours: readonly { readonly p: readonly number[]; readonly truth: number }[]): number =>
  hours.reduce(
    (sum, { p, truth }) => sum + p.reduce((own, value, k) => own + (value - (k === truth ? 1 : 0)) ** 2, 0),
    0,
  ) / hours.length;

/** A filter may round to 0, whose logarithm would rule a state out for good. */
const least = 1e-6;

/** Of each state, what its weights are multiplied with. */
function features({ filtered, stalled }: FilteredHour): number[][] {
  const [off, transition, on] = filtered.map((p) => Math.log(Math.max(p, least)));
  return [
    [off ?? 0, 0, 0],
    [transition ?? 0, 1, stalled ? 1 : 0],
    [on ?? 0, 0, 0],
  ];
}

function shares(rows: readonly (readonly number[])[], weights: readonly number[]): number[] {
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
  const p = shares(rows, weights);
  const mean = weights.map((_, a) => rows.reduce((sum, row, k) => sum + (p[k] ?? 0) * (row[a] ?? 0), 0));
  for (const [a, expected] of mean.entries()) {
    gradient[a] = (gradient[a] ?? 0) + (expected - (rows[truth]?.[a] ?? 0)) / dependence;
    const line = curvature[a] as number[];
    for (const [b, other] of mean.entries()) {
      const joint = rows.reduce((sum, row, k) => sum + (p[k] ?? 0) * (row[a] ?? 0) * (row[b] ?? 0), 0);
      line[b] = (line[b] ?? 0) + (joint - expected * other) / dependence;
    }
  }
}

/** x of matrix·x = right, the matrix positive definite: Gauss without pivots. */
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
