import { at, filter, type GaussianHmm, logDensities } from './hmm.ts';

/**
 * The hidden Markov model of a market that falls, stalls or rises, in the order RISK_OFF, TRANSITION, RISK_ON. Its only
 * observations are the hourly returns in units of daily σ. Each hour's return is new evidence and is counted once, so
 * that probabilities do not run to 0 and 1, as they do with windows that share all but one hour with the window before.
 *
 * The few parameters are not fitted to each market's past, because maximum likelihood finds states that differ in
 * volatility. A trend drifts by 1.3 σ a day and lasts ten days, a stall two. The values come from a grid search on BTC
 * 2020-11 to 2022-12; the calibration corrects what nearby values would change.
 */
const drift = 1.3;
const trendStays = 0.996;
const stallStays = 0.98;

const move = (stays: number): number => (1 - stays) / 2;
const model: Omit<GaussianHmm, 'start'> = {
  states: 3,
  features: 1,
  transition: Float64Array.from([
    ...[trendStays, move(trendStays), move(trendStays)],
    ...[move(stallStays), stallStays, move(stallStays)],
    ...[move(trendStays), move(trendStays), trendStays],
  ]),
  means: Float64Array.from([-drift / 24, 0, drift / 24]),
  variances: new Float64Array(3).fill(1 / 24),
};

/** The probabilities while nothing is known yet. */
export const unknownRegime: readonly number[] = [1 / 3, 1 / 3, 1 / 3];

/**
 * Returns P(state | moves up to this one), given P(state | earlier moves).
 *
 * @param moveInSigma The hour's log return divided by daily σ.
 */
export function filterRegime(before: readonly number[], moveInSigma: number): number[] {
  const { states, transition } = model;
  // A loop, because a first start filters two years of hours, and a year again for each training.
  const start = new Float64Array(states);
  for (let to = 0; to < states; to++) {
    let sum = 0;
    for (let from = 0; from < states; from++) sum += (before[from] ?? 0) * at(transition, from * states + to);
    start[to] = sum;
  }
  const hmm = { ...model, start };
  const { filtered } = filter(hmm, logDensities(hmm, Float64Array.of(moveInSigma)));
  return before.map((_, state) => at(filtered, state));
}
