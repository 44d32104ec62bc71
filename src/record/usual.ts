import { median } from '../runtime/statistics.ts';
import { hour } from '../runtime/units.ts';
import type { Features, Hours } from './hours.ts';
import { leastSquares } from './least-squares.ts';

/** What a symbol's price does over one horizon after hours as volatile as a moment was; moves are logarithms. */
export interface Usual {
  /** Median move. */
  readonly median: number;
  /** Median of the moves without their sign. */
  readonly size: number;
  /** Shares of the moves that went up, and down. */
  readonly up: number;
  readonly down: number;
}

/** What a symbol's price does over one horizon whether or not anything was said. */
export interface UsualMoves {
  /** Moves known. */
  readonly n: number;
  /** Of hours like the moment (market ms) and its price; undefined where too little before it is known. */
  like(at: number, price: number): Usual | undefined;
}

/** Days of whole hours below which a symbol's usual moves are not judged by. */
const leastDays = 21;
/** Of all hours, those that a moment is compared with: the ones nearest to it in volatility. */
const share = 0.1;
const fewest = 50;
/** Windows of like hours begin at every eighth of one. */
const steps = 8;

/**
 * Moves over `horizon` (ms, whole hours) from every hour both of whose prices are known, by the volatility that was to be
 * expected there: how large moves are after |last move|, a 4 h move and deviations over hours to a week, by least
 * squares (after Corsi's HAR, 2009). A moment's volatility comes from what was known then and stays as it was; it is
 * compared with the hours nearest to it, each move in units of its own expectation, so that what volatility tells by
 * itself, which is that large moves follow large ones, earns nothing. Undefined where less than three weeks is known.
 */
export function usualMoves(hours: Hours, horizon: number): UsualMoves | undefined {
  const rows: Features[] = [];
  const moves: number[] = [];
  const reach = horizon / hour;
  for (let index = 0; index + reach < hours.count; index += 1) {
    const move = hours.log(index + reach) - hours.log(index);
    const features = Number.isFinite(move) ? hours.features(index) : undefined;
    if (features === undefined) continue;
    rows.push(features);
    moves.push(move);
  }
  const n = moves.length;
  if (n < leastDays * 24) return undefined;
  const expected = expectation(rows, moves.map(Math.abs));
  const sorted = rows
    .map((row, index) => ({ size: expected(row), move: moves[index] as number }))
    .sort((a, b) => a.size - b.size);
  const length = Math.min(n, Math.max(fewest, Math.floor(n * share)));
  const step = Math.max(1, Math.floor(length / steps));
  const windows = new Map<number, Usual>();

  /** Moves in units of what was to be expected. */
  function windowAt(from: number): Usual {
    const known = windows.get(from);
    if (known !== undefined) return known;
    const units = sorted.slice(from, from + length).map(({ size, move }) => move / size);
    const found = {
      median: median(units),
      size: median(units.map(Math.abs)),
      up: units.filter((unit) => unit > 0).length / length,
      down: units.filter((unit) => unit < 0).length / length,
    };
    windows.set(from, found);
    return found;
  }

  return {
    n,
    like(at, price) {
      const features = hours.featuresAt(at, price);
      if (features === undefined) return undefined;
      const size = expected(features);
      const middle = place(sorted, size) - length / 2;
      const from = Math.min(n - length, Math.max(0, Math.round(middle / step) * step));
      const own = windowAt(from);
      return { ...own, median: own.median * size, size: own.size * size };
    },
  };
}

/** Of the size of a move; each row weighs by how closely it can be told, which is found in three rounds. */
function expectation(rows: readonly Features[], sizes: readonly number[]): (row: Features) => number {
  const least = (sizes.reduce((sum, size) => sum + size, 0) / sizes.length) * 0.1 || 1e-9;
  let weights: readonly number[] = [];
  const expected = (row: Features): number => {
    let sum = 0;
    for (let at = 0; at < weights.length; at += 1) sum += (row[at] as number) * (weights[at] as number);
    return Math.max(least, sum);
  };
  for (let round = 0; round < 3; round += 1) {
    const by = round === 0 ? () => 1 : (index: number) => expected(rows[index] as Features) ** -2;
    weights = leastSquares(rows, { values: sizes, weightOf: by });
  }
  return expected;
}

/** How many are smaller. */
function place(sorted: readonly { readonly size: number }[], size: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle]?.size ?? 0) < size) low = middle + 1;
    else high = middle;
  }
  return low;
}
