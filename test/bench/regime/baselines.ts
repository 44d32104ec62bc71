import { filter, logDensities } from '#src/service/analytics/hmm.ts';
import { createRegimeWalk } from '#src/service/analytics/regime.ts';
import type { ClosedBar } from '#src/service/analytics/regime-features.ts';
import { fitBest } from './baum-welch.ts';
import { coldStarts, orderStates } from './cold-start.ts';
import type { State } from './score.ts';

/**
 * Labels each bar from it and those before it. The parameters of momentum and Page are the best of a small grid on the
 * scored years at an acceptable rate of flips, which favours these baselines over the published label.
 */
export type Recipe = (bars: readonly ClosedBar[]) => State[];

export const published: Recipe = (bars) => {
  const walk = createRegimeWalk();
  return bars.map((bar) => walk.push(bar)?.state ?? 'TRANSITION');
};

/** Uses 24 h return and log volatility of 24 h, p ≥ 0.8 for 3 h; trained on the year before, every 30 days. */
export const plainHmm: Recipe = (bars) => {
  const returns = logReturns(bars);
  const rows = bars.map((_, i) => {
    const lastDay = returns.slice(Math.max(0, i - 23), i + 1);
    const sum = lastDay.reduce((total, r) => total + r, 0);
    const square = lastDay.reduce((total, r) => total + r * r, 0);
    return [100 * sum, Math.log(1e-6 + Math.sqrt(square))] as const;
  });
  const targets: State[] = [];
  const [refit, minimum] = [30 * 24, 120 * 24];
  for (let from = 0; from < bars.length; from += refit) {
    const window = rows.slice(Math.max(24, from - 365 * 24), from);
    const ahead = rows.slice(from, from + refit);
    if (window.length < minimum) {
      targets.push(...ahead.map((): State => 'TRANSITION'));
      continue;
    }
    const observations = Float64Array.from(window.flat());
    const starts = coldStarts(observations, 2, [[0.25, 0.5, 0.25]]);
    const options = { varianceFloor: 1e-3, maxIterations: 60, tolerance: 1e-6 };
    const model = orderStates(fitBest(starts, observations, options).model);
    const all = Float64Array.from([...window, ...ahead].flat());
    const { filtered } = filter(model, logDensities(model, all));
    for (let t = window.length; t < window.length + ahead.length; t++) {
      const likeliest = (['RISK_OFF', 'TRANSITION', 'RISK_ON'] as const).find(
        (_, k) => (filtered[t * 3 + k] ?? 0) >= 0.8,
      );
      targets.push(likeliest ?? targets.at(-1) ?? 'TRANSITION');
    }
  }
  return confirmed(targets, 3);
};

/** Uses the 24 h return in daily σ: a label begins beyond ±1.25 and turns to TRANSITION at 1 the other way. */
export const momentum: Recipe = (bars) => {
  const x = standardised(bars);
  let state: State = 'TRANSITION';
  const targets = x.map((_, i): State => {
    const z = x.slice(Math.max(0, i - 23), i + 1).reduce((sum, value) => sum + value, 0);
    if (z >= 1.25) state = 'RISK_ON';
    else if (z <= -1.25) state = 'RISK_OFF';
    else if ((state === 'RISK_ON' && z < -1) || (state === 'RISK_OFF' && z > 1)) state = 'TRANSITION';
    return state;
  });
  return confirmed(targets, 3);
};

/** Returns RISK_ON above both the 7 d and the 30 d average, RISK_OFF below both. */
export const averages: Recipe = (bars) => {
  const close = bars.map((bar) => bar.close);
  const week = movingAverage(close, 7 * 24);
  const month = movingAverage(close, 30 * 24);
  const targets = close.map((price, i): State => {
    const above = Number(price > (week[i] ?? 0)) + Number(price > (month[i] ?? 0));
    return above === 2 ? 'RISK_ON' : above === 0 ? 'RISK_OFF' : 'TRANSITION';
  });
  return confirmed(targets, 12);
};

/**
 * Two-sided Page test with sums of x less 0.005 an hour. A sum of 1.75 sets the label and resets both sums; after 96 h
 * without one the label is TRANSITION.
 */
export const page: Recipe = (bars) => {
  let up = 0;
  let down = 0;
  let rang = 0;
  let state: State = 'TRANSITION';
  const targets = standardised(bars).map((x, i): State => {
    up = Math.max(0, up + x - 0.005);
    down = Math.max(0, down - x - 0.005);
    if (up >= 1.75 || down >= 1.75) {
      state = up >= 1.75 ? 'RISK_ON' : 'RISK_OFF';
      rang = i;
      up = 0;
      down = 0;
    } else if (i - rang >= 96) state = 'TRANSITION';
    return state;
  });
  return confirmed(targets, 3);
};

/**
 * DC3: a rise ends with a fall of 1.75 σ from its high, or with a stall after 72 bars without a new high; a fall mirrors
 * this. A stall ends with 1.75 σ against the move before it or 2 σ along it. A new label is published after 3 closes.
 */
export const directionalChange3: Recipe = (bars) => {
  let state = { position: 0, last: 0, level: 0, high: 0, highAt: 0, low: 0, lowAt: 0, target: 0, closes: 0 };
  const x = standardised(bars);
  return bars.map((_, i) => {
    const level = state.level + (x[i] ?? 0);
    const { position, last } = state;
    if (level > state.high) state = { ...state, high: level, highAt: i };
    if (level < state.low) state = { ...state, low: level, lowAt: i };
    const fall = state.high - level;
    const rise = level - state.low;
    let target = position;
    if (position === 1) target = fall >= 1.75 ? -1 : i - state.highAt >= 72 ? 0 : 1;
    else if (position === -1) target = rise >= 1.75 ? 1 : i - state.lowAt >= 72 ? 0 : -1;
    else if (rise >= (last === -1 ? 1.75 : 2)) target = 1;
    else if (fall >= (last === 1 ? 1.75 : 2)) target = -1;
    const closes = target === state.target ? state.closes + 1 : 1;
    state = { ...state, level, target, closes };
    if (target !== position && closes >= 3) {
      const falling = target === -1 || (target === 0 && position === 1);
      state = { ...state, position: target, last: target || last };
      state = falling ? { ...state, low: level, lowAt: i } : { ...state, high: level, highAt: i };
    }
    return (['RISK_OFF', 'TRANSITION', 'RISK_ON'] as const)[state.position + 1] ?? 'TRANSITION';
  });
};

const logReturns = (bars: readonly ClosedBar[]): number[] =>
  bars.map(({ close }, i) => Math.log(close / (bars[i - 1]?.close ?? close)));

/** Returns r/σ, σ = √(24·EWMA(r², half-life 1,440 h)) of the bars before. */
function standardised(bars: readonly ClosedBar[]): number[] {
  const decay = 2 ** (-1 / 1440);
  let square = 0;
  let weight = 0;
  return logReturns(bars).map((r, i) => {
    const sigma = Math.sqrt((24 * square) / weight);
    square = square * decay + r * r * (1 - decay);
    weight = weight * decay + 1 - decay;
    return i < 25 ? 0 : r / sigma;
  });
}

function movingAverage(values: readonly number[], span: number): number[] {
  let sum = 0;
  return values.map((value, i) => {
    sum += value - (i >= span ? (values[i - span] ?? 0) : 0);
    return sum / Math.min(span, i + 1);
  });
}

/** Publishes a target once it has lasted for `count` closes. */
function confirmed(targets: readonly State[], count: number): State[] {
  let label: State = 'TRANSITION';
  let stood = 0;
  return targets.map((target, i) => {
    stood = target === targets[i - 1] ? stood + 1 : 1;
    if (stood >= count) label = target;
    return label;
  });
}
