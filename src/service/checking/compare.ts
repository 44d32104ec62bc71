import { minute } from '../../runtime/units.ts';

/** A value and the market time that it describes, ms. */
export interface Measured {
  readonly value: number;
  readonly time: number;
  /** When the value was taken, if known to be a different moment. A moving value is compared as of this moment. */
  readonly takenAt?: number | undefined;
}

/** Rows of most values come this often, ms. */
export const snapshotStep = 5 * minute;

/** How far two readings of one value may differ without either being wrong. What is left out is 0. */
export interface Tolerance {
  /** Relative to the larger reading, for two readings of the same moment. */
  readonly relative?: number;
  /** Absolute: the effect of rounding to the published decimals, and more for a value that is near 0 and moves. */
  readonly absolute?: number;
  /** The usual (median) size of the value's relative change over a `snapshotStep`; 0 for a value that never changes. */
  readonly move?: number;
  /** Ms by which the two stated moments may differ from those at which the values were valid. */
  readonly timeSlack?: number;
}

interface Compared {
  /** Published less asked, relative to the larger of the two: −2 to 2. */
  readonly difference: number;
  /** The largest size of the difference that is no fault. */
  readonly allowed: number;
  readonly verdict: 'WITHIN' | 'BEYOND' | 'LATE';
}

/**
 * How many usual changes a value may move. Prices follow a random walk: their distance grows with the square root of the
 * time. A median change is 0.67 standard deviations of a normal distribution, so nine of them are six deviations. A correct
 * feed then fails only in the minutes in which the market itself breaks, and in these it fails for most of a round's symbols.
 */
const maxMoves = 9;
/** The largest `move` that counts. No symbol usually moves more in five minutes: a broken feed must not widen its tolerance. */
const maxMove = 0.01;
/** The longest time between two values that widens the tolerance, ms. */
const maxTimeApart = 15 * minute;

/**
 * Compares a published value with the one that a venue was asked for.
 *
 * @param late The venue has had a newer value for so long that ours is out of date, even if both are equal.
 */
export function compare(
  { published, asked }: { readonly published: Measured; readonly asked: Measured },
  { tolerance, late = false }: { readonly tolerance: Tolerance; readonly late?: boolean },
): Compared {
  const { relative = 0, absolute = 0, move = 0, timeSlack = 0 } = tolerance;
  const larger = Math.max(Math.abs(published.value), Math.abs(asked.value));
  const difference = larger === 0 ? 0 : (published.value - asked.value) / larger;
  const timeApart = Math.min(
    Math.abs((published.takenAt ?? published.time) - asked.time) + timeSlack,
    maxTimeApart,
  );
  const moveAllowance = maxMoves * Math.min(move, maxMove) * Math.sqrt(timeApart / snapshotStep);
  const absoluteAllowance = larger === 0 ? 0 : absolute / larger;
  const allowed = Math.max(relative + moveAllowance, Math.min(absoluteAllowance, 2));
  const verdict = late ? 'LATE' : Math.abs(difference) <= allowed ? 'WITHIN' : 'BEYOND';
  return { difference, allowed, verdict };
}
