import { hour } from '../../runtime/units.ts';
import type { RegimeRow } from '../archive/archive.ts';
import { chainWindow, stateProbabilities } from './regime-chain.ts';
import { round } from './statistics.ts';
import { stepVolatility, volatilityPercentile, volatilityRegime, volatilityStart } from './volatility.ts';

/** The version of the model. Changing anything that affects labels or probabilities requires a new one. */
export const regimeModel = 1;

/** A closed hourly bar of a market. */
export interface ClosedBar {
  /** Open time, ms. */
  readonly time: number;
  readonly close: number;
}

/** The number of hours after which σ is known well enough for a label. */
export const warmUp = 10 * 24;

/** How far back the published rows reach that the next state depends on, ms. */
export const memory = 5 * 24 * hour;

/** How long before the first row wanted the states are followed, ms: states from different beginnings agree after some days. */
const leadIn = 30 * 24 * hour;

/**
 * Takes in a bar and returns the row of the hour just closed, which is final. Returns null before the first row wanted
 * and during the first ten days. Bars must ascend in time; in a hole the close is carried.
 *
 * @throws RangeError if the bar is not later than the last one, or its close is not a price
 */
export type RegimeWalk = (bar: ClosedBar) => RegimeRow | null;

/**
 * Computes a market's published regime hour by hour, from what was known at each close (docs/regime.md). State, label, score
 * and multiplier all follow from the probabilities.
 *
 * @param from open time of the first row wanted
 * @param published the rows of the last `memory` before it, ascending: the walk continues from them
 */
export function createRegimeWalk({
  symbol,
  from = 0,
  published = [],
}: {
  readonly symbol: string;
  readonly from?: number;
  readonly published?: readonly RegimeRow[];
}): RegimeWalk {
  let last: ClosedBar | undefined;
  let hours = 0;
  let volatility = volatilityStart;
  let recent = [...published];
  /** The newest last. */
  const returns = new Float64Array(chainWindow);
  const append = (logReturn: number) => {
    returns.copyWithin(0, 1);
    returns[chainWindow - 1] = logReturn;
  };

  return (bar) => {
    const { time, close } = bar;
    if (!(time > (last?.time ?? Number.NEGATIVE_INFINITY)) || !(close > 0 && close < Infinity)) {
      throw new RangeError(`A later bar with a price is expected after ${last?.time}, not ${time}: ${close}`);
    }
    if (last !== undefined) {
      const logReturn = Math.log(close / last.close);
      const passed = Math.max(1, Math.round((time - last.time) / hour));
      for (let hole = Math.min(passed - 1, chainWindow); hole > 0; hole--) append(0);
      append(logReturn);
      hours += passed;
      volatility = stepVolatility(volatility, { time, logReturn, hours: passed });
    }
    last = bar;
    const begin = recent.length > 0 ? from : from - leadIn;
    if (hours < warmUp - 1 || time < begin) return null;
    // After an outage the state goes on from the last row, however old it is.
    recent = recent.filter((row, i) => row.time >= time - memory || i === recent.length - 1);
    const [off, , on] = stateProbabilities(returns.subarray(Math.max(0, chainWindow - hours)));
    const stated = { time, riskOn: round(on, 6), riskOff: round(off, 6) };
    const state = nextState(stated, recent);
    const row: RegimeRow = {
      symbol,
      ...stated,
      state,
      trend: state === 0 ? (recent.at(-1)?.trend ?? 0) : state,
      volatilityPercentile: round(volatilityPercentile(volatility), 1),
      model: regimeModel,
    };
    recent.push(row);
    return time < from ? null : row;
  };
}

type Stated = Pick<RegimeRow, 'time' | 'riskOn' | 'riskOff'>;

const transitionOf = ({ riskOn, riskOff }: Stated): number => round(Math.max(0, 1 - riskOn - riskOff), 6);
const probabilityOf = (row: Stated, state: number): number =>
  state === 0 ? transitionOf(row) : state > 0 ? row.riskOn : row.riskOff;

/** Returns the state with the largest probability; of equal ones `state`, if it is one of them. */
const likeliestOf = (row: Stated, state: number): number =>
  [1, 0, -1].reduce(
    (best, other) => (probabilityOf(row, other) > probabilityOf(row, best) ? other : best),
    state,
  );

/**
 * The state changes to the likeliest one once that is likelier than the state by this margin, which halves with every
 * `release` for which it has been the likeliest: no state stands for long against its own probabilities. A state that was left
 * returns only against a margin raised by `caution`, which fades within `memory`.
 *
 * Chosen on BTC's hours of 2021-05 to 2022-12 among some 3,700 configurations, within a plateau: margins of 0.65 to 0.8,
 * releases of 6 to 12 h, cautions of 0.4 to 0.6 and memories of 4 to 7 days do nearly as well.
 */
const margin = 0.7;
const release = 8 * hour;
const caution = 0.5;

/** @param recent the rows of the last `memory`, ascending */
function nextState(row: Stated, recent: readonly RegimeRow[]): number {
  const state = recent.at(-1)?.state;
  const likeliest = likeliestOf(row, state ?? 0);
  if (state === undefined || likeliest === state) return likeliest;
  const since = (holds: (row: RegimeRow) => boolean): number =>
    recent[recent.findLastIndex((row) => !holds(row)) + 1]?.time ?? row.time;
  const challenged = since((row) => row.state === state && likeliestOf(row, state) === likeliest);
  const left = recent.findLast((row) => row.state !== state)?.state;
  const age = row.time - since((row) => row.state === state);
  const needed =
    margin * 2 ** ((challenged - row.time) / release) +
    (likeliest === left ? caution * Math.max(0, 1 - age / memory) : 0);
  return probabilityOf(row, likeliest) - probabilityOf(row, state) >= needed ? likeliest : state;
}

const names = ['RISK_OFF', 'TRANSITION', 'RISK_ON'] as const;
type RegimeState = (typeof names)[number];
export const stateName = (state: number): RegimeState => names[state + 1] ?? 'TRANSITION';

/**
 * Returns what is published of a row. score = 100·(p(RISK_ON) − p(RISK_OFF)), −100 to 100. multiplier = 1 + score/200, 0.5 to
 * 1.5: the weight of a bullish signal in this regime. label, after Wyckoff: MARKUP while RISK_ON, DISTRIBUTION while RISK_OFF;
 * a stall is DISTRIBUTION after a rise, and ACCUMULATION after a fall or at the beginning. transition: not null exactly while
 * another state is likelier, with the difference of the two probabilities as its magnitude.
 */
export function describeRegime(row: RegimeRow) {
  const { state, trend, riskOn, riskOff } = row;
  const likeliest = likeliestOf(row, state);
  const isDistribution = state < 0 || trend > 0;
  return {
    state: stateName(state),
    label: state > 0 ? 'MARKUP' : isDistribution ? 'DISTRIBUTION' : 'ACCUMULATION',
    probabilities: { RISK_ON: riskOn, RISK_OFF: riskOff, TRANSITION: transitionOf(row) },
    confidence: probabilityOf(row, state),
    score: round(100 * (riskOn - riskOff), 2),
    multiplier: round(1 + (riskOn - riskOff) / 2, 4),
    transition:
      likeliest === state
        ? null
        : {
            from: stateName(state),
            to: stateName(likeliest),
            type: likeliest === 0 ? 'STALL' : state === 0 ? 'START' : 'REVERSAL',
            magnitude: round(probabilityOf(row, likeliest) - probabilityOf(row, state), 6),
          },
    volatility: volatilityRegime(row.volatilityPercentile),
  } as const;
}
