import { hour } from '../../runtime/units.ts';

/**
 * Returns the labels that are best in hindsight: the path s ∈ {−1, 0, 1} over hourly closes that maximises Σ(s·r/σ),
 * less (0.25/24)·|s| per hour and 2 per change, where σ is the daily deviation of the 60 days around the hour. The labels
 * use later prices: they serve to judge published labels once those are old, and are never an input of a label.
 *
 * @param closes One close per hour, without holes (a missing hour carries the last close).
 */
export function hindsight(closes: readonly number[]): Int8Array {
  const returns = closes.map((close, i) => (i === 0 ? 0 : Math.log(close / (closes[i - 1] ?? close))));
  const sigma = centredSigma(returns);
  const sourcesByHour: Uint8Array[] = [];
  let best: readonly number[] = [0, 0, 0];
  for (const [i, r] of returns.entries()) {
    const sources = new Uint8Array(states.length);
    const deviation = sigma[i] ?? 0;
    const z = deviation > 0 ? r / deviation : 0;
    best = states.map((state, to) => {
      const source = bestSource(best, to, i === 0 ? 0 : changeCost);
      sources[to] = source.index;
      return source.value + state * z - carryCost * Math.abs(state);
    });
    sourcesByHour.push(sources);
  }
  const path = new Int8Array(closes.length);
  let stateIndex = best.indexOf(Math.max(...best));
  for (let i = closes.length - 1; i >= 0; i--) {
    path[i] = stateIndex - 1;
    stateIndex = sourcesByHour[i]?.[stateIndex] ?? stateIndex;
  }
  return path;
}

/** The age from which an hour's label counts as final, ms: half of σ's window, and the same time again for the path. */
export const hindsightFinalAge = 60 * 24 * hour;

const states = [-1, 0, 1] as const;
const changeCost = 2;
const carryCost = 0.25 / 24;
/** σ of an hour is taken over this many hours on either side of it. */
const sigmaReach = 30 * 24;

// biome-ignore lint/complexity/useMaxParams: asked for every hour of years
function bestSource(best: readonly number[], to: number, cost: number) {
  let value = Number.NEGATIVE_INFINITY;
  let index = 0;
  for (const [source, sum] of best.entries()) {
    const reached = source === to ? sum : sum - cost;
    if (reached > value) [value, index] = [reached, source];
  }
  return { value, index };
}

/** Returns √(24·mean(r²)) over the hours around each hour. The first hour has no return and is left out. */
function centredSigma(returns: readonly number[]): number[] {
  const sums = [0];
  for (const [i, r] of returns.entries()) sums.push((sums[i] ?? 0) + r * r);
  return returns.map((_, i) => {
    const first = Math.max(1, i - sigmaReach);
    const end = Math.min(returns.length, i + sigmaReach + 1);
    return Math.sqrt((24 * Math.max(0, (sums[end] ?? 0) - (sums[first] ?? 0))) / Math.max(1, end - first));
  });
}
