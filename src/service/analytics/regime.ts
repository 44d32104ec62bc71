import { z } from 'zod';
import { hour } from '../../runtime/units.ts';
import type { RegimeRow } from '../archive/archive.ts';
import { conviction, directionalStart, directionalState, stepDirectional } from './directional-change.ts';
import {
  filterRegime,
  type RegimeModel,
  refitEvery,
  regimeModel,
  regimeVersion,
  trainingMinimum,
  trainingWindow,
  trainRegime,
} from './regime-model.ts';
import { round } from './statistics.ts';
import {
  dailySigma,
  stepVolatility,
  volatilityPercentile,
  volatilityRegime,
  volatilityStart,
  volatilityState,
} from './volatility.ts';

/** A closed hourly bar of BTC. */
export interface ClosedBar {
  /** Open time, ms. */
  readonly time: number;
  readonly close: number;
}

/**
 * The published regime, hour by hour, from what was known at each close.
 *
 * Observed: `conviction` of a directional change in σ, one number. Modelled: a three-state Gaussian HMM over it,
 * fitted cold to the past year every 30 days; `probabilities` are its filtered ones. Published: by
 * S = p(RISK_ON) − p(RISK_OFF) with hysteresis, at once, since the observation has already waited three closes.
 *
 * What it is worth (`npm run bench -- regime`): the label is the directional change's; the HMM adds the
 * probabilities, which mostly lie near 0 and 1, and no better label. HMMs over what has no memory of its own were
 * worse on the same years: rolling extremes of 3 to 10 days (0.3 to 0.6 flips a day, or turns found after 55 h and
 * more), and legs that turn on one close (a fifth to a third of the changes false, a tenth of the entries wrong).
 * It says nothing about coming returns.
 */
export interface RegimeWalk {
  /**
   * The row of the hour just closed, final once given; null until a model is trained (60 days of bars, then the
   * next refit). Bars ascend in time, holes allowed; another, or a close that is no price, is a RangeError.
   */
  push(bar: ClosedBar): RegimeRow | null;
  /** What the answers' `model` says; null until trained. */
  model(): RegimeModel | null;
  /** JSON from which `restoreRegimeWalk` goes on exactly where this walk stands. */
  snapshot(): RegimeSnapshot;
}

const stateName = z.enum(['RISK_ON', 'RISK_OFF', 'TRANSITION']);

const regimeSnapshot = z.object({
  version: z.literal(regimeVersion),
  time: z.number().nullable(),
  close: z.number(),
  volatility: volatilityState,
  directional: directionalState,
  /** Observations of the training window, ascending. */
  window: z.array(z.number()),
  model: regimeModel.nullable(),
  /** RISK_OFF, TRANSITION, RISK_ON. */
  probabilities: z.array(z.number()).length(3).nullable(),
  state: stateName,
  /** The last state that was not TRANSITION; TRANSITION before the first. */
  direction: stateName,
});
export type RegimeSnapshot = z.output<typeof regimeSnapshot>;

export const createRegimeWalk = (): RegimeWalk =>
  walkFrom({
    version: regimeVersion,
    time: null,
    close: 0,
    volatility: volatilityStart,
    directional: directionalStart(0),
    window: [],
    model: null,
    probabilities: null,
    state: 'TRANSITION',
    direction: 'TRANSITION',
  });

/** Throws a RangeError where the snapshot is none of this version: walk anew over the bars there are. */
export function restoreRegimeWalk(snapshot: unknown): RegimeWalk {
  const parsed = regimeSnapshot.safeParse(snapshot);
  if (parsed.success) return walkFrom(parsed.data);
  throw new RangeError(
    `This is no regime snapshot of version ${regimeVersion}; walk anew from the first bar`,
    {
      cause: parsed.error,
    },
  );
}

function walkFrom(start: RegimeSnapshot): RegimeWalk {
  let now = { ...start, window: [...start.window] };
  return {
    push(bar) {
      if (!(bar.time > (now.time ?? Number.NEGATIVE_INFINITY)) || !(bar.close > 0 && bar.close < Infinity)) {
        throw new RangeError(
          `A later bar with a price is expected after ${now.time}, not ${bar.time}: ${bar.close}`,
        );
      }
      now = refitted(observed(now, bar), now.time);
      return rowOf(now);
    },
    model: () => now.model,
    snapshot: () => structuredClone(now),
  };
}

/** The bar taken into the features; σ is of the bars before it. The window, a year long, is appended to in place. */
function observed(before: RegimeSnapshot, { time, close }: ClosedBar): RegimeSnapshot {
  if (before.time === null) return { ...before, time, close, directional: directionalStart(time) };
  const logReturn = Math.log(close / before.close);
  const sigma = dailySigma(before.volatility);
  const directional = stepDirectional(before.directional, time, sigma > 0 ? logReturn / sigma : 0);
  // Three decimals lose nothing and keep the snapshot small.
  const window = before.window;
  window.push(round(conviction(directional, time), 3));
  if (window.length > trainingWindow) window.shift();
  const volatility = stepVolatility(
    before.volatility,
    time,
    logReturn,
    Math.max(1, (time - before.time) / hour),
  );
  return { ...before, time, close, volatility, directional, window };
}

/** Probabilities after the newest observation, of a model trained on those before it. */
function refitted(walk: RegimeSnapshot, previous: number | null): RegimeSnapshot {
  const { time, window } = walk;
  if (time === null || previous === null || window.length <= trainingMinimum) return walk;
  const due = Math.floor(time / refitEvery) !== Math.floor(previous / refitEvery);
  const model = due ? trainRegime(window.slice(0, -1), time) : walk.model;
  if (model === null) return walk;
  const probabilities = due
    ? filterRegime(model, null, window)
    : filterRegime(model, walk.probabilities, window.slice(-1));
  const state = publish(walk.state, (probabilities[2] ?? 0) - (probabilities[0] ?? 0));
  const direction = state === 'TRANSITION' ? walk.direction : state;
  return { ...walk, model, probabilities, state, direction };
}

/**
 * Entered at S ≥ 0.8 (RISK_OFF at S ≤ −0.8), left for TRANSITION below 0.5. Measured: every level of leaving
 * from 0 to 0.75 gives nearly the same label.
 */
function publish(state: RegimeRow['state'], s: number): RegimeRow['state'] {
  if (s >= 0.8) return 'RISK_ON';
  if (s <= -0.8) return 'RISK_OFF';
  if (state === 'RISK_ON') return s >= 0.5 ? state : 'TRANSITION';
  if (state === 'RISK_OFF') return s <= -0.5 ? state : 'TRANSITION';
  return state;
}

/**
 * score = 100·(p(RISK_ON) − p(RISK_OFF)), −100 to 100. multiplier = 1 + score/200, 0.5 to 1.5: what a bullish
 * signal weighs in this regime. label, after Wyckoff: MARKUP while RISK_ON, DISTRIBUTION while RISK_OFF; a stall
 * is DISTRIBUTION after a rise and ACCUMULATION after a fall, or after nothing.
 */
function rowOf({
  time,
  state,
  direction,
  probabilities,
  volatility,
  model,
}: RegimeSnapshot): RegimeRow | null {
  if (time === null || probabilities === null || model === null) return null;
  const on = round(probabilities[2] ?? 0, 6);
  const off = round(probabilities[0] ?? 0, 6);
  const percentile = round(volatilityPercentile(volatility), 1);
  const afterRise = direction === 'RISK_ON' || state === 'RISK_OFF';
  return {
    time,
    state,
    label: state === 'RISK_ON' ? 'MARKUP' : afterRise ? 'DISTRIBUTION' : 'ACCUMULATION',
    probabilities: { RISK_ON: on, RISK_OFF: off, TRANSITION: round(Math.max(0, 1 - on - off), 6) },
    score: round(100 * (on - off), 2),
    multiplier: round(1 + (on - off) / 2, 4),
    volatility: volatilityRegime(percentile),
    volatilityPercentile: percentile,
    model: model.version,
  };
}
