import { median } from '../runtime/statistics.ts';
import { hour } from '../runtime/units.ts';
import { addToWeek, factorAt, factorsOf, newWeek } from '../runtime/week.ts';
import type { Features, Hours } from './hours.ts';
import { leastSquares } from './least-squares.ts';

/** What a symbol's price does over one horizon after hours that are as volatile as a given moment. Moves are logarithms. */
export interface Usual {
  readonly median: number;
  /** Median of the absolute moves. */
  readonly size: number;
  /** Share of the moves that went up, and share of those that went down. */
  readonly up: number;
  readonly down: number;
  /** Share of the time of these moves that lies within the horizon after an alert of those that are judged. */
  readonly own: number;
}

/** The usual moves of a symbol's price over one horizon, whether or not there was an alert. */
export interface UsualMoves {
  readonly n: number;
  /**
   * Returns a function that finds the moves of hours that resemble the moment of one of the alerts, with its price; undefined
   * if too little before it is known.
   * @param alerts market ms, ascending
   */
  beside(alerts: readonly number[]): (at: number, price: number) => Usual | undefined;
}

/** A symbol with fewer days of hourly moves is not judged. */
const leastDays = 21;
/** Share (and least number) of all hours with which a moment is compared: the hours nearest to it in volatility. */
const share = 0.1;
const fewest = 50;
/** Windows of similar hours begin at every eighth of a window's length. */
const steps = 8;

/**
 * Computes moves over `horizon` (ms, whole hours) from every hour for which both prices are known, with the volatility
 * that was expected there. The expected size of a move is predicted by least squares from the last absolute move, a 4 h
 * move, and deviations over hours to a week (after Corsi's HAR, 2009). A moment's volatility is computed only from what
 * was known then, and does not change later. A moment is compared with the hours nearest to it in volatility, each move
 * in units of its own expectation, so that an alert earns nothing for the fact that large moves follow large ones.
 * Undefined if less than three weeks are known.
 * @param features of each of the hours
 */
export function usualMoves(
  hours: Hours,
  features: ReturnType<Hours['features']>,
  horizon: number,
): UsualMoves | undefined {
  const rows: Features[] = [];
  const times: number[] = [];
  const moves: number[] = [];
  const reach = horizon / hour;
  for (const [index, row] of features.entries()) {
    const move = hours.log(index + reach) - hours.log(index);
    if (row === undefined || !Number.isFinite(move)) continue;
    rows.push(row);
    times.push(hours.timeOf(index));
    moves.push(move);
  }
  if (moves.length < leastDays * 24) return undefined;
  const expected = expectation(rows, moves.map(Math.abs));
  const week = newWeek();
  for (const [index, at] of times.entries())
    addToWeek(week, {
      at,
      size: Math.abs(moves[index] as number) / expected(rows[index] as Features),
    });
  const factors = factorsOf(week);
  const even = moves.map((move, index) => move / factorAt(factors, times[index] as number));
  return compareBySize(hours, {
    horizon,
    expected,
    factors,
    known: sortedBySize(rows.map(expected), { moves: even, times }),
  });
}

type Expected = (row: Features) => number;

/** Moves in ascending order of their expected sizes. 90 days of 30 symbols are kept: as objects they took 20 MB. */
interface KnownMoves {
  readonly sizes: Float64Array;
  readonly moves: Float64Array;
  readonly times: Float64Array;
}

function sortedBySize(
  sizes: readonly number[],
  { moves, times }: Readonly<Record<'moves' | 'times', readonly number[]>>,
): KnownMoves {
  const order = Array.from(sizes.keys()).sort((a, b) => (sizes[a] as number) - (sizes[b] as number));
  return {
    sizes: Float64Array.from(order, (index) => sizes[index] as number),
    moves: Float64Array.from(order, (index) => moves[index] as number),
    times: Float64Array.from(order, (index) => times[index] as number),
  };
}

/** A function of its own, because what it returns is kept, and with it all that the functions around it can see. */
function compareBySize(
  hours: Hours,
  {
    horizon,
    expected,
    factors,
    known: { sizes, moves, times },
  }: {
    readonly horizon: number;
    readonly expected: Expected;
    readonly factors: readonly number[];
    readonly known: KnownMoves;
  },
): UsualMoves {
  const n = moves.length;
  const length = Math.min(n, Math.max(fewest, Math.floor(n * share)));
  const step = Math.max(1, Math.floor(length / steps));
  const windows = new Map<number, Omit<Usual, 'own'>>();

  /** Moves are in units of the expected size. */
  function findUsual(from: number): Omit<Usual, 'own'> {
    const units = Array.from(
      { length },
      (_, at) => (moves[from + at] as number) / (sizes[from + at] as number),
    );
    return {
      median: median(units),
      size: median(units.map(Math.abs)),
      up: units.filter((unit) => unit > 0).length / length,
      down: units.filter((unit) => unit < 0).length / length,
    };
  }

  return {
    n,
    beside(alerts) {
      const covered = coverage(alerts, horizon);
      /** Sums over the moves before each. */
      const own = new Float64Array(n + 1);
      for (let at = 0; at < n; at += 1) own[at + 1] = (own[at] as number) + covered(times[at] as number);
      return (at, price) => {
        const features = hours.featuresAt(at, price);
        if (features === undefined) return undefined;
        const size = expected(features);
        const middle = countSmaller(sizes, size) - length / 2;
        const from = Math.min(n - length, Math.max(0, Math.round(middle / step) * step));
        const usual = windows.getOrInsertComputed(from, findUsual);
        const unit = size * factorAt(factors, at);
        return {
          ...usual,
          median: usual.median * unit,
          size: usual.size * unit,
          own: ((own[from + length] as number) - (own[from] as number)) / length,
        };
      };
    },
  };
}

/** Returns which share of the `length` ms from a time on lies within `length` ms after an alert. */
function coverage(alerts: readonly number[], length: number): (at: number) => number {
  const starts = Float64Array.from(alerts);
  /** Covered ms before each alert. */
  const before = new Float64Array(starts.length);
  for (let at = 1; at < starts.length; at += 1)
    before[at] =
      (before[at - 1] as number) + Math.min(length, (starts[at] as number) - (starts[at - 1] as number));
  const until = (time: number) => {
    const last = countSmaller(starts, time) - 1;
    return last < 0 ? 0 : (before[last] as number) + Math.min(length, time - (starts[last] as number));
  };
  return (at) => (until(at + length) - until(at)) / length;
}

/**
 * Returns a function that predicts the size of a move. Rows are weighted by how precisely their size can be predicted;
 * the weights are found in three rounds.
 */
function expectation(rows: readonly Features[], sizes: readonly number[]): Expected {
  const least = (sizes.reduce((sum, size) => sum + size, 0) / sizes.length) * 0.1 || 1e-9;
  let weights: readonly number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const expected = expectedBy(weights, least);
    const weightOf = round === 0 ? () => 1 : (index: number) => expected(rows[index] as Features) ** -2;
    weights = leastSquares(rows, sizes, weightOf);
  }
  return expectedBy(weights, least);
}

const expectedBy =
  (weights: readonly number[], least: number): Expected =>
  (row) => {
    let sum = 0;
    for (let at = 0; at < weights.length; at += 1) sum += (row[at] as number) * (weights[at] as number);
    return Math.max(least, sum);
  };

function countSmaller(sorted: Float64Array, size: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < size) low = middle + 1;
    else high = middle;
  }
  return low;
}
