import type { HourlyPrice } from '../alert/outcome.ts';
import { median } from '../alert/statistics.ts';

/** What a symbol's price does over one horizon whether or not anything was said: all its moves, fractions. */
export interface Usual {
  readonly n: number;
  readonly median: number;
  /** Median of the moves without their sign. */
  readonly size: number;
  /** Shares of the moves that went up, and down. */
  readonly up: number;
  readonly down: number;
}

/** Days of whole hours below which a symbol's usual moves are not judged by. */
const leastDays = 7;

/**
 * Moves over `horizon` (ms, whole hours) from every hour both of whose prices are known. They overlap, which
 * leaves medians and shares unbiased. Undefined where less than a week of moves is known.
 */
export function usualMoves(prices: readonly HourlyPrice[], horizon: number): Usual | undefined {
  const known = new Map(prices.map(({ at, price }) => [at, price]));
  const moves = prices.flatMap(({ at, price }) => {
    const later = known.get(at + horizon);
    return later === undefined ? [] : [later / price - 1];
  });
  if (moves.length < leastDays * 24) return undefined;
  const share = (which: (move: number) => boolean) => moves.filter(which).length / moves.length;
  return {
    n: moves.length,
    median: median(moves),
    size: median(moves.map(Math.abs)),
    up: share((move) => move > 0),
    down: share((move) => move < 0),
  };
}
