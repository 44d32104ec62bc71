import { z } from 'zod';
import { day, iso } from '../../runtime/units.ts';
import { fitBest } from './baum-welch.ts';
import { coldShares, coldStarts, orderStates } from './cold-start.ts';
import { at, filter, type GaussianHmm, logDensities } from './hmm.ts';
import { round } from './statistics.ts';

/** A change of any constant that changes labels is another version. */
export const regimeVersion = 'dc-hmm-1';

/** Refitted when the open time enters another span of 30 days since the epoch: a function of that time alone. */
export const refitEvery = 30 * day;
/** Hourly observations a fit looks back on, and the fewest it is done with. */
export const trainingWindow = 365 * 24;
export const trainingMinimum = 60 * 24;

/**
 * Observations lie on −1 … 1 with states near −0.85, 0 and 0.85. The floor is noise of 0.22: from 0.02 to 0.1
 * the published label is the same (measured), below it states fit the quirks of the feature.
 */
const fitOptions = { varianceFloor: 0.05, maxIterations: 60, tolerance: 1e-6 };

const numbers = (length: number) => z.array(z.number()).length(length);

/** JSON. States in the fixed order RISK_OFF, TRANSITION, RISK_ON: ascending mean of the observed feature. */
export const regimeModel = z.object({
  version: z.string(),
  trainedAt: z.string(),
  windowHours: z.int(),
  logLikelihood: z.number(),
  start: numbers(3),
  transition: numbers(9),
  means: numbers(3),
  variances: numbers(3),
});
export type RegimeModel = z.output<typeof regimeModel>;

/** @param window observations before the bar that opens at `time`, ascending in time. */
export function trainRegime(window: readonly number[], time: number): RegimeModel {
  const observations = Float64Array.from(window);
  const starts = coldStarts(observations, 1, coldShares.slice(0, 3));
  const { model, logLikelihood } = fitBest(starts, observations, fitOptions);
  const { start, transition, means, variances } = orderStates(model);
  return {
    version: `${regimeVersion}/${iso(time).slice(0, 13)}`,
    trainedAt: iso(time),
    windowHours: window.length,
    logLikelihood: round(logLikelihood, 4),
    start: [...start],
    transition: [...transition],
    means: [...means],
    variances: [...variances],
  };
}

/** Filtered probabilities, in the model's order, after `observations` that follow on `before`. */
export function filterRegime(
  model: RegimeModel,
  before: readonly number[] | null,
  observations: readonly number[],
): number[] {
  const transition = Float64Array.from(model.transition);
  const hmm: GaussianHmm = {
    states: 3,
    features: 1,
    start: before === null ? Float64Array.from(model.start) : predict(before, transition),
    transition,
    means: Float64Array.from(model.means),
    variances: Float64Array.from(model.variances),
  };
  return [...filter(hmm, logDensities(hmm, Float64Array.from(observations))).filtered.slice(-3)];
}

const predict = (probabilities: readonly number[], transition: Float64Array): Float64Array =>
  new Float64Array(3).map((_, to) =>
    probabilities.reduce((sum, probability, from) => sum + probability * at(transition, from * 3 + to), 0),
  );
