import { hour } from '../../runtime/units.ts';

/**
 * The judge of regimes: the path s ∈ {−1, 0, 1} over hourly returns r that maximises Σ(s·r/σ), less (0.25/24)·|s| per hour
 * and 2 per change, where σ is the daily deviation of the 60 days around the hour. The path is that of a hidden Markov chain:
 * its emissions reward a return along the state, and its transitions cost what a change costs (docs/regime.md).
 *
 * Values of paths are those of the best path in or from each state −1, 0, 1, in this order. They are changed in place, because
 * a thousand hours are run through for every hour.
 */
export type PathValues = Float64Array;

const changeCost = 2;
const carryCost = 0.25 / 24;

/** The time that σ of an hour is taken over on either side of it, hours. */
export const sigmaReach = 30 * 24;

/** The age from which an hour's label counts as final, ms: half of σ's window, and the same time again for the path. */
export const hindsightFinalAge = 60 * 24 * hour;

/** Lets each path change its state between two hours. */
export function change(values: PathValues): void {
  const [fall, stall, rise] = [values[0] as number, values[1] as number, values[2] as number];
  const changed = Math.max(fall, stall, rise) - changeCost;
  if (fall < changed) values[0] = changed;
  if (stall < changed) values[1] = changed;
  if (rise < changed) values[2] = changed;
}

/** Adds an hour to each path. @param move the hour's log return in σ of a day */
export function emit(values: PathValues, move: number): void {
  values[0] = (values[0] as number) - move - carryCost;
  values[2] = (values[2] as number) + move - carryCost;
}

/** Returns the labels −1, 0 or 1 of the best path. They use later prices: they judge a label, and are never an input of one. */
export function hindsight(closes: readonly number[]): Int8Array {
  const moves = movesOf(
    Float64Array.from(closes, (close, i) => Math.log(close / (closes[i - 1] ?? close))),
    1,
  );
  const values: PathValues = new Float64Array(3);
  /** The state of the hour before on the best path to each state of an hour. */
  const sources = new Uint8Array(3 * moves.length);
  for (const [i, move] of moves.entries()) {
    const best = values.indexOf(Math.max(...values));
    for (let state = 0; state < 3; state++)
      sources[3 * i + state] =
        (values[state] as number) < (values[best] as number) - changeCost ? best : state;
    change(values);
    emit(values, move);
  }
  const path = new Int8Array(closes.length);
  let state = values.indexOf(Math.max(...values));
  for (let i = closes.length - 1; i >= 0; i--) {
    path[i] = state - 1;
    state = sources[3 * i + state] as number;
  }
  return path;
}

/** Returns the returns in σ of a day. σ is taken over the returns around each hour, without those before index `from`. */
export function movesOf(returns: Float64Array, from = 0): Float64Array {
  const count = returns.length;
  const squares = new Float64Array(count + 1);
  for (let i = from; i < count; i++) squares[i + 1] = (squares[i] as number) + (returns[i] as number) ** 2;
  const moves = new Float64Array(count);
  for (let i = from; i < count; i++) {
    const first = Math.max(from, i - sigmaReach);
    const end = Math.min(count, i + sigmaReach + 1);
    const sum = (squares[end] as number) - (squares[first] as number);
    if (sum > 0) moves[i] = (returns[i] as number) / Math.sqrt((24 * sum) / (end - first));
  }
  return moves;
}
