import { z } from 'zod';
import { hour } from '../../runtime/units.ts';
import type { RegimeRow } from '../archive/archive.ts';
import { calibrateProbabilities } from './calibration.ts';
import type { Direction } from './directional-change.ts';
import {
  type ClosedBar,
  isStalled,
  observe,
  type RegimeFeatures,
  regimeFeatures,
} from './regime-features.ts';
import {
  builtInModel,
  type RegimeModel,
  refitEvery,
  regimeModel,
  regimeVersion,
  trainingWindow,
  trainRegime,
  warmUp,
} from './regime-model.ts';
import { round } from './statistics.ts';
import { volatilityPercentile, volatilityRegime } from './volatility.ts';

/**
 * Computes the published regime hour by hour, from what was known at each close.
 *
 * The label comes from a directional change measured in σ. The probabilities are those of a hidden Markov model over
 * single hours' returns, calibrated: of the hours with a stated probability of 0.7, about 0.7 agree with the later
 * hindsight. Confidence, score and multiplier are computed from the same probabilities.
 *
 * `npm run bench -- regime` measures how good the regime is. It says nothing about coming returns.
 */
export interface RegimeWalk {
  /**
   * Takes in a bar and returns the row of the hour just closed, which is final. Returns null before the first row wanted
   * and during the first ten days of bars. Bars must ascend in time; holes are allowed.
   *
   * @throws RangeError if the bar is not later than the last one, or its close is not a price
   */
  push(bar: ClosedBar): RegimeRow | null;
  /** Returns the current model, which responses describe in their field `model`. */
  model(): RegimeModel;
  /** Returns JSON from which `restoreRegimeWalk` continues exactly where this walk stands. */
  snapshot(): RegimeSnapshot;
}

const regimeSnapshot = z.object({
  version: z.literal(regimeVersion),
  /** Open time of the first row wanted. */
  from: z.number(),
  /** Bars taken in, holes not counted. */
  bars: z.int().min(0),
  features: regimeFeatures.nullable(),
  /** Closes of the training window, one per hour up to the time of `features`, ascending. */
  closes: z.array(z.number()),
  model: regimeModel,
});
export type RegimeSnapshot = z.output<typeof regimeSnapshot>;

/** @param from Open time of the first row wanted. Models that would serve only earlier rows are not trained. */
export const createRegimeWalk = ({ from }: { readonly from: number } = { from: 0 }): RegimeWalk =>
  walkFrom({ version: regimeVersion, from, bars: 0, features: null, closes: [], model: builtInModel });

/** @throws RangeError if `snapshot` is not one of this version; the caller then walks over all bars anew */
export function restoreRegimeWalk(snapshot: unknown): RegimeWalk {
  const parsed = regimeSnapshot.safeParse(snapshot);
  if (parsed.success) return walkFrom(parsed.data);
  throw new RangeError(
    `This is no regime snapshot of version ${regimeVersion}; walk anew from the first bar`,
    { cause: parsed.error },
  );
}

function walkFrom(start: RegimeSnapshot): RegimeWalk {
  let current = { ...start, closes: [...start.closes] };
  return {
    push(bar) {
      const last = current.features?.time ?? Number.NEGATIVE_INFINITY;
      if (!(bar.time > last) || !(bar.close > 0 && bar.close < Infinity)) {
        throw new RangeError(
          `A later bar with a price is expected after ${last}, not ${bar.time}: ${bar.close}`,
        );
      }
      const model = modelFor(current, bar.time);
      const features = observe(current.features, bar);
      appendClose(current.closes, { ...bar, before: current.features });
      current = { ...current, bars: current.bars + 1, features, model };
      return current.bars < warmUp || bar.time < current.from ? null : rowOf(features, model);
    },
    model: () => current.model,
    snapshot: () => structuredClone(current),
  };
}

/** Returns the model for the bar at `time`, trained on earlier bars only. */
function modelFor({ from, features, closes, model }: RegimeSnapshot, time: number): RegimeModel {
  const span = Math.floor(time / refitEvery);
  if (features === null || span === Math.floor(features.time / refitEvery)) return model;
  return span < Math.floor(from / refitEvery) ? builtInModel : trainRegime(closes, features.time + hour);
}

/** Adds a close to the window, in place because the window is a year long. Missing hours carry the close before them. */
function appendClose(
  closes: number[],
  { before, time, close }: { readonly before: RegimeFeatures | null } & ClosedBar,
): void {
  const missing = before === null ? 0 : Math.round((time - before.time) / hour) - 1;
  for (let i = 0; i < Math.min(missing, trainingWindow); i++) closes.push(before?.close ?? close);
  closes.push(close);
  if (closes.length > trainingWindow) closes.splice(0, closes.length - trainingWindow);
}

const states = { 1: 'RISK_ON', 0: 'TRANSITION', [-1]: 'RISK_OFF' } as const satisfies Record<
  Direction,
  RegimeRow['state']
>;

/**
 * Builds the published row. score = 100·(p(RISK_ON) − p(RISK_OFF)), −100 to 100. multiplier = 1 + score/200, 0.5 to 1.5:
 * the weight of a bullish signal in this regime. label, after Wyckoff: MARKUP while RISK_ON, DISTRIBUTION while RISK_OFF;
 * a stall is DISTRIBUTION after a rise, and ACCUMULATION after a fall or at the beginning.
 */
function rowOf(features: RegimeFeatures, { version, weights }: RegimeModel): RegimeRow {
  const { time, volatility, directional, filtered } = features;
  const [off, , on] = calibrateProbabilities({ filtered, stalled: isStalled(features) }, weights);
  const probabilities = { RISK_ON: round(on ?? 0, 6), RISK_OFF: round(off ?? 0, 6) };
  const lean = probabilities.RISK_ON - probabilities.RISK_OFF;
  const state = states[directional.position];
  const percentile = round(volatilityPercentile(volatility), 1);
  const afterRise = directional.last === 1 || state === 'RISK_OFF';
  return {
    time,
    state,
    label: state === 'RISK_ON' ? 'MARKUP' : afterRise ? 'DISTRIBUTION' : 'ACCUMULATION',
    probabilities: {
      ...probabilities,
      TRANSITION: round(Math.max(0, 1 - probabilities.RISK_ON - probabilities.RISK_OFF), 6),
    },
    score: round(100 * lean, 2),
    multiplier: round(1 + lean / 2, 4),
    volatility: volatilityRegime(percentile),
    volatilityPercentile: percentile,
    model: version,
  };
}
