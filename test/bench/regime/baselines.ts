import { type ClosedBar, createRegimeWalk, describeRegime } from '#src/service/analytics/regime.ts';
import type { State } from './score.ts';

/** Probabilities of RISK_OFF, TRANSITION and RISK_ON. */
export type Probabilities = readonly [number, number, number];
export const states: readonly State[] = ['RISK_OFF', 'TRANSITION', 'RISK_ON'];

/** What is said of an hour, from it and those before it. */
export interface Said {
  readonly state: State;
  /** Absent for a recipe that says none. */
  readonly p?: Probabilities;
}
export type Recipe = (bars: readonly ClosedBar[]) => readonly Said[];

export const published: Recipe = (bars) => {
  const walk = createRegimeWalk({ symbol: 'BTCUSDT' });
  return bars.map((bar) => {
    const row = walk(bar);
    if (row === null) return { state: 'TRANSITION', p: [1 / 3, 1 / 3, 1 / 3] };
    const { state, probabilities: p } = describeRegime(row);
    return { state, p: [p.RISK_OFF, p.TRANSITION, p.RISK_ON] };
  });
};

/** A directional change of the price in σ (Guillaume et al. 1997), with a stalled state. Times are hours. */
interface DirectionalChange {
  readonly stall: number;
  /** Closes for which a change must be seen before it is published. */
  readonly closes: number;
  /** By what share the thresholds are raised after a change; this falls to 1/e in 24 h. */
  readonly caution: number;
}

const directionalChange =
  ({ stall, closes: needed, caution }: DirectionalChange): Recipe =>
  (bars) => {
    let state = {
      position: 0,
      last: 0,
      level: 0,
      high: 0,
      highAt: 0,
      low: 0,
      lowAt: 0,
      target: 0,
      closes: 0,
    };
    let changedAt = Number.NEGATIVE_INFINITY;
    const x = standardised(bars);
    return bars.map((_, i) => {
      const level = state.level + (x[i] ?? 0);
      const { position, last } = state;
      if (level > state.high) state = { ...state, high: level, highAt: i };
      if (level < state.low) state = { ...state, low: level, lowAt: i };
      const fall = state.high - level;
      const rise = level - state.low;
      const factor = 1 + caution * Math.exp((changedAt - i) / 24);
      const [reversal, resumption] = [1.75 * factor, 2 * factor];
      let target = position;
      if (position === 1) target = fall >= reversal ? -1 : i - state.highAt >= stall ? 0 : 1;
      else if (position === -1) target = rise >= reversal ? 1 : i - state.lowAt >= stall ? 0 : -1;
      else if (rise >= (last === -1 ? reversal : resumption)) target = 1;
      else if (fall >= (last === 1 ? reversal : resumption)) target = -1;
      const closes = target === state.target ? state.closes + 1 : 1;
      state = { ...state, level, target, closes };
      if (target !== position && closes >= needed) {
        const falling = target === -1 || (target === 0 && position === 1);
        state = { ...state, position: target, last: target || last };
        state = falling ? { ...state, low: level, lowAt: i } : { ...state, high: level, highAt: i };
        changedAt = i;
      }
      return { state: states[state.position + 1] ?? 'TRANSITION' };
    });
  };

export const directionalChange3 = directionalChange({ stall: 72, closes: 3, caution: 0 });
export const cautiousChange = directionalChange({ stall: 84, closes: 1, caution: 0.15 });

/**
 * The model of before: a hidden Markov model whose trends drift by 1.3 σ a day, with weights fitted on these hours, which know
 * the label of the directional change.
 */
export const driftModel: Recipe = (bars) => {
  const labels = cautiousChange(bars);
  let p = [1 / 3, 1 / 3, 1 / 3];
  const stays = [0.996, 0.98, 0.996];
  return standardised(bars).map((x, i) => {
    const next = [-1, 0, 1].map((drift, to) => {
      const reached = p.reduce((sum, share, from) => {
        const stay = stays[from] ?? 0;
        return sum + share * (from === to ? stay : (1 - stay) / 2);
      }, 0);
      return reached * Math.exp(-12 * (x - (1.3 / 24) * drift) ** 2);
    });
    p = normalised(next);
    const { state } = labels[i] as Said;
    const stalled = Math.exp(-0.89 + (state === 'TRANSITION' ? 1.33 : 0));
    const weighted = normalised(p.map((share, k) => share ** 0.86 * (k === 1 ? stalled : 1)));
    return { state, p: weighted.map((share) => 0.92 * share + 0.08 / 3) as unknown as Probabilities };
  });
};

const normalised = (weights: readonly number[]): number[] => {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
};

/** Returns r/σ, σ = √(24·EWMA(r², half-life 1,440 h)) of the bars before. */
function standardised(bars: readonly ClosedBar[]): number[] {
  const decay = 2 ** (-1 / 1440);
  let square = 0;
  let weight = 0;
  return bars.map(({ close }, i) => {
    const r = Math.log(close / (bars[i - 1]?.close ?? close));
    const sigma = Math.sqrt((24 * square) / weight);
    square = square * decay + r * r * (1 - decay);
    weight = weight * decay + 1 - decay;
    return i < 25 ? 0 : r / sigma;
  });
}
