import { z } from 'zod';
import { day, hour, iso } from '../../runtime/units.ts';
import {
  brier,
  builtInWeights,
  calibrate,
  calibrated,
  calibrationWeights,
  type JudgedHour,
} from './calibration.ts';
import { hindsight, hindsightSettles } from './hindsight.ts';
import { isStalled, observe, type RegimeFeatures } from './regime-features.ts';
import { round } from './statistics.ts';

/** A change of any constant that changes labels or probabilities is another version. */
export const regimeVersion = 'drift-hmm-1';

/** Calibrated anew when the open time enters another span of 30 days since the epoch: a function of that time alone. */
export const refitEvery = 30 * day;
/** Hours that a calibration looks back on, and the fewest judged ones it learns from. */
export const trainingWindow = 365 * 24;
const fewestJudged = 30 * 24;
/** Bars until σ is known well enough. */
export const warmUp = 10 * 24;

/** What answers say of the model. JSON. */
export const regimeModel = z.object({
  version: z.string(),
  weights: calibrationWeights,
  /** Null where the built-in weights speak, for want of a past. */
  calibration: z
    .object({
      trainedAt: z.string(),
      /** The hours it was fitted on, judged by hindsight; the rest describes the fit on those same hours. */
      from: z.string(),
      to: z.string(),
      hours: z.int(),
      /** Mean over hours of Σ(p − hindsight)² over the states, and what always answering their base rates scores. */
      brier: z.number(),
      baseRatesBrier: z.number(),
      /** By the likeliest state's probability: what was said, and how often it was so. */
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
 * @param closes one an hour, without holes, ending with the bar before the one that opens at `time`
 */
export function trainRegime(closes: readonly number[], time: number): RegimeModel {
  const begins = time - closes.length * hour;
  const judged = judgedHours(closes, begins);
  if (judged.length < fewestJudged) return builtInModel;
  const weights = calibrate(judged);
  const said = judged.map((each) => ({ p: calibrated(each, weights), truth: each.truth }));
  const base = [0, 1, 2].map((k) => judged.filter(({ truth }) => truth === k).length / judged.length);
  return {
    version: `${regimeVersion}/${iso(time).slice(0, 13)}`,
    weights,
    calibration: {
      trainedAt: iso(time),
      from: iso(begins + warmUp * hour),
      to: iso(begins + (warmUp + judged.length) * hour),
      hours: judged.length,
      brier: round(brier(said), 4),
      baseRatesBrier: round(brier(judged.map(({ truth }) => ({ p: base, truth }))), 4),
      reliability: reliability(said),
    },
  };
}

/** The hours of which hindsight is settled, as the walk saw them at the time. */
function judgedHours(closes: readonly number[], begins: number): JudgedHour[] {
  const truths = hindsight(closes);
  let features: RegimeFeatures | null = null;
  const hours: JudgedHour[] = [];
  for (const [i, close] of closes.entries()) {
    features = observe(features, { time: begins + i * hour, close });
    hours.push({ filtered: features.filtered, stalled: isStalled(features), truth: (truths[i] ?? 0) + 1 });
  }
  return hours.slice(warmUp, Math.max(warmUp, hours.length - hindsightSettles / hour));
}

function reliability(said: readonly { readonly p: readonly number[]; readonly truth: number }[]) {
  const bins = Map.groupBy(
    said.map(({ p, truth }) => {
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
