import type { Probabilities, Said } from './baselines.ts';
import { states } from './baselines.ts';
import type { State } from './score.ts';

/** One hour: what was said, and the state according to hindsight. */
export interface JudgedHour extends Said {
  readonly time: number;
  readonly truth: State;
}

/** The hours in which a state was given a probability within one tenth. */
export interface Bin {
  readonly state: State;
  readonly said: number;
  readonly found: number;
  readonly hours: number;
}

export interface ProbabilityScore {
  /** Mean over hours of Σ(p − hindsight)² over the states. */
  readonly brier: number;
  /** Of all three states. */
  readonly bins: readonly Bin[];
  /** The largest distance of said and found in a bin of 200 hours or more. */
  readonly worstBin: number;
  /** The share of hours whose likeliest state is the opposite of the published one, and the longest such stretch. */
  readonly opposite: number;
  readonly longestOpposite: number;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns undefined for a recipe without probabilities. */
export function scoreProbabilities(hours: readonly JudgedHour[]): ProbabilityScore | undefined {
  const stated = hours.flatMap(({ p, ...hour }) => (p === undefined ? [] : [{ ...hour, p }]));
  if (stated.length === 0) return undefined;
  const each = stated.flatMap(({ p, truth }) =>
    states.map((state, k) => ({ state, said: p[k] ?? 0, right: Number(state === truth) })),
  );
  const bins = [...Map.groupBy(each, ({ state, said }) => `${state} ${Math.min(9, Math.floor(said * 10))}`)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, list]) => ({
      state: key.split(' ')[0] as State,
      said: mean(list.map(({ said }) => said)),
      found: mean(list.map(({ right }) => right)),
      hours: list.length,
    }));
  let [opposite, stretch, longestOpposite] = [0, 0, 0];
  for (const { p, state } of stated) {
    const isOpposite = state !== 'TRANSITION' && states[p.indexOf(Math.max(...p))] === mirrored[state];
    stretch = isOpposite ? stretch + 1 : 0;
    opposite += Number(isOpposite);
    longestOpposite = Math.max(longestOpposite, stretch);
  }
  return {
    brier: mean(stated.map(({ p, truth }) => distance(p, truth))),
    bins,
    worstBin: Math.max(
      ...bins.filter(({ hours }) => hours >= 200).map(({ said, found }) => Math.abs(said - found)),
    ),
    opposite: opposite / stated.length,
    longestOpposite,
  };
}

const mirrored: Readonly<Record<State, State>> = {
  RISK_ON: 'RISK_OFF',
  RISK_OFF: 'RISK_ON',
  TRANSITION: 'TRANSITION',
};

const distance = (p: Probabilities, truth: State): number =>
  states.reduce((sum, state, k) => sum + ((p[k] ?? 0) - Number(state === truth)) ** 2, 0);

/** Always says how often each state was true in these hours. */
export function baseRates(hours: readonly JudgedHour[]): readonly JudgedHour[] {
  const p = states.map((state) => mean(hours.map(({ truth }) => Number(truth === state))));
  return hours.map((hour) => ({ ...hour, state: 'RISK_OFF', p: p as unknown as Probabilities }));
}
