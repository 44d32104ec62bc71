import type { Estimate } from './excess.ts';
import { above, beyond } from './student.ts';

/** The lower and the upper end of an interval. */
export type Interval = readonly [low: number, high: number];

/** What one of several records shows, held against all of them. Shares are from 0 to 1. */
export interface Finding {
  /**
   * `more`, `less`: hits differ from what is usual. `nothing`: they do not, and a difference that matters would have
   * shown. `few`: they do not, and such a difference need not have shown.
   */
  readonly says: 'more' | 'less' | 'nothing' | 'few';
  /** Of the difference: leaves 0 out where it says more or less, and only there. */
  readonly edge: Interval;
  /** The smallest difference that this many alerts would have shown in four cases of five. */
  readonly shows: number;
}

/** Of the records that are said to differ, at most this share does so by chance. */
export const falseDiscoveries = 0.05;
/** In how many cases the difference that is told as the smallest would have been found. */
const power = 0.8;
/** A difference of hits below which nobody would act otherwise. */
export const matters = 0.1;

/**
 * Findings over all kinds and horizons at once (Benjamini and Hochberg 1995): the more is looked at, the more each must
 * show. Each is held to the level that it has once it is found beside those that are found already, and its interval
 * and the smallest difference it would have shown are of that level.
 */
export function findings(estimates: readonly Estimate[]): Finding[] {
  const chances = estimates.map(chanceOf);
  return estimates.map((estimate, index) => {
    const others = chances.filter((_, other) => other !== index);
    const level = (falseDiscoveries * found([0, ...others])) / chances.length;
    return findingOf(estimate, level);
  });
}

const chanceOf = ({ mean, error, freedom }: Estimate): number => {
  const chance = beyond(mean / error, freedom);
  return Number.isFinite(chance) ? chance : 1;
};

/** How many stand out. */
function found(chances: readonly number[]): number {
  const sorted = [...chances].sort((a, b) => a - b);
  return sorted.findLastIndex((chance, at) => chance <= (falseDiscoveries * (at + 1)) / sorted.length) + 1;
}

function findingOf({ mean, error, freedom }: Estimate, level: number): Finding {
  const reach = above(level / 2, freedom);
  const shows = (reach + above(1 - power, freedom)) * error;
  const edge: Interval = [Math.max(-1, mean - reach * error), Math.min(1, mean + reach * error)];
  return { says: saysOf(edge, shows), edge, shows };
}

function saysOf([low, high]: Interval, shows: number): Finding['says'] {
  if (low > 0) return 'more';
  if (high < 0) return 'less';
  return shows <= matters ? 'nothing' : 'few';
}
