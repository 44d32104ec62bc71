import { z } from 'zod';
import { day, hour, iso } from '../../runtime/units.ts';
import {
  brierScore,
  builtInWeights,
  calibrate,
  calibrateProbabilities,
  calibrationWeights,
  type JudgedHour,
} from './calibration.ts';
import { hindsight, hindsightFinalAge } from './hindsight.ts';
import { isStalled, observe, type RegimeFeatures } from './regime-features.ts';
import { round } from './statistics.ts';

/** The version of the model. Changing any constant that affects labels or probabilities requires a new version. */
export const regimeVersion = 'drift-hmm-3';

/**
 * The model is calibrated anew when the open time enters another span of 30 days since the epoch, so that the moment of
 * calibration depends on the open time alone.
 */
export const refitEvery = 30 * day;
/** The number of hours that a calibration looks back on. */
export const trainingWindow = 365 * 24;
/** The fewest judged hours that a calibration can learn from. */
const minJudgedHours = 30 * 24;
/** The number of bars after which σ is known well enough. */
export const warmUp = 10 * 24;

/** What responses say of the model, as plain JSON. */
export const regimeModel = z.object({
  version: z.string(),
  weights: calibrationWeights,
  /** Null while the built-in weights are used, because there is too little past to learn from. */
  calibration: z
    .object({
      trainedAt: z.string(),
      /** The hours that the weights were fitted on, judged by hindsight. The fields below describe the fit on these hours. */
      from: z.string(),
      to: z.string(),
      hours: z.int(),
      /** Mean over hours of Σ(p − hindsight)² over the states, and the score of always answering with the base rates. */
      brier: z.number(),
      baseRatesBrier: z.number(),
      /** By the likeliest state's probability: the mean stated probability, and how often that state was the true one. */
      reliability: z.array(z.object({ said: z.number(), found: z.number(), hours: z.int() })),
    })
    .nullable(),
});
export type RegimeModel = z.output<typeof regimeModel>;

export const builtInModel: RegimeModel = {
  version: `${regimeVersion}/built-in`,
  weights: builtInWeights,
  calibration: null,
};

/**
 * Calibrates the model for bars from `time` on. Returns the built-in model if too few hours can be judged.
 *
 * @param closes One close per hour, without holes, ending with the bar before the one that opens at `time`.
 */
export function trainRegime(closes: readonly number[], time: number): RegimeModel {
  const startsAt = time - closes.length * hour;
  const judged = judgedHours(closes, startsAt);
  if (judged.length < minJudgedHours) return builtInModel;
  const weights = calibrate(judged);
  const predictions = judged.map((each) => ({ p: calibrateProbabilities(each, weights), truth: each.truth }));
  const baseRates = [0, 1, 2].map((k) => judged.filter(({ truth }) => truth === k).length / judged.length);
  return {
    version: `${regimeVersion}/${iso(time).slice(0, 13)}`,
    weights,
    calibration: {
      trainedAt: iso(time),
      from: iso(startsAt + warmUp * hour),
      to: iso(startsAt + (warmUp + judged.length) * hour),
      hours: judged.length,
      brier: round(brierScore(predictions), 4),
      baseRatesBrier: round(brierScore(judged.map(({ truth }) => ({ p: baseRates, truth }))), 4),
      reliability: reliability(predictions),
    },
  };
}

/** Returns the hours whose hindsight label is final, with the features that the walk computed at the time. */
function judgedHours(closes: readonly number[], startsAt: number): JudgedHour[] {
  const truths = hindsight(closes);
  let features: RegimeFeatures | null = null;
  const hours: JudgedHour[] = [];
  for (const [i, close] of closes.entries()) {
    features = observe(features, { time: startsAt + i * hour, close });
    hours.push({ filtered: features.filtered, stalled: isStalled(features), truth: (truths[i] ?? 0) + 1 });
  }
  return hours.slice(warmUp, Math.max(warmUp, hours.length - hindsightFinalAge / hour));
}

function reliability(predictions: readonly { readonly p: readonly number[]; readonly truth: number }[]) {
  const bins = Map.groupBy(
    predictions.map(({ p, truth }) => {
      const most = Math.max(...p);
      return { most, right: p.indexOf(most) === truth };
    }),
    ({ most }) => Math.min(9, Math.floor(most * 10)),
  );
  return [...bins]
    .sort(([a], [b]) => a - b)
    .map(([, hours]) => ({
      said: round(hours.reduce((sum, { most }) => sum + most, 0) / hours.length, 3),
      found: round(hours.filter(({ right }) => right).length / hours.length, 3),
      hours: hours.length,
    }));
}
