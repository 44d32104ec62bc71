import { fitBest } from '#src/service/analytics/baum-welch.ts';
import { coldStarts, orderStates } from '#src/service/analytics/cold-start.ts';
import { directionalStart, stepDirectional } from '#src/service/analytics/directional-change.ts';
import { filter, logDensities } from '#src/service/analytics/hmm.ts';
import { type ClosedBar, createRegimeWalk } from '#src/service/analytics/regime.ts';
import type { State } from './score.ts';

/**
 * Labels each bar from it and those before it. The numbers of momentum and Page are the better ones of a small
 * grid on the very years scored, at a bearable rate of flips: they flatter the baseline, not the published label.
 */
export type Recipe = (bars: readonly ClosedBar[]) => State[];

export const published: Recipe = (bars) => {
  const walk = createRegimeWalk();
  return bars.map((bar) => walk.push(bar)?.state ?? 'TRANSITION');
};

/** 24 h return and log volatility of 24 h, p ≥ 0.8 for 3 h; trained on the year before, every 30 days. */
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

/** 24 h return in daily σ: entered beyond ±1.25, left for TRANSITION at 1 the other way. */
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

/** Above both the 7 d and the 30 d average: RISK_ON; below both: RISK_OFF. */
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

/** Two-sided Page test: sums of x less 0.005 an hour; one at 1.75 rings, both begin anew; 96 h of silence: TRANSITION. */
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

/** DC3 of regime-quality.md; its three closes are the directional change's own. */
export const directionalChange3: Recipe = (bars) => {
  let state = directionalStart(bars[0]?.time ?? 0);
  const x = standardised(bars);
  return bars.map(({ time }, i) => {
    state = stepDirectional(state, time, x[i] ?? 0);
    return (['RISK_OFF', 'TRANSITION', 'RISK_ON'] as const)[state.position + 1] ?? 'TRANSITION';
  });
};

const logReturns = (bars: readonly ClosedBar[]): number[] =>
  bars.map(({ close }, i) => Math.log(close / (bars[i - 1]?.close ?? close)));

/** r/σ, σ = √(24·EWMA(r², half-life 1,440 h)) of the bars before. */
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

/** A target is published once it has stood on `count` closes. */
function confirmed(targets: readonly State[], count: number): State[] {
  let label: State = 'TRANSITION';
  let stood = 0;
  return targets.map((target, i) => {
    stood = target === targets[i - 1] ? stood + 1 : 1;
    if (stood >= count) label = target;
    return label;
  });
}
