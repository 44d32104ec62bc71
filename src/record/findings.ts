import { type Estimate, varianceOf } from './excess.ts';
import { above, beyond } from './student.ts';

/** The lower and the upper end of an interval. */
export type Interval = readonly [low: number, high: number];

/** What one record shows when it is tested together with all others. Shares are from 0 to 1. */
export interface Finding {
  /**
   * `more`, `less`: hits differ from the usual share. `nothing`: they do not, and a difference that matters would have
   * been detected. `few`: they do not, but a difference that matters might not have been detected.
   */
  readonly verdict: 'more' | 'less' | 'nothing' | 'few';
  /** Confidence interval of the difference. It excludes 0 exactly if `verdict` is `more` or `less`. */
  readonly interval: Interval;
  /** The smallest difference that this many alerts would have shown in four cases of five. */
  readonly detectable: number;
}

/** At most this share of the records that are said to differ do so by chance. */
export const falseDiscoveries = 0.05;
/** Probability with which the difference that is reported as the smallest would have been detected. */
const power = 0.8;
/** A smaller difference of the share of hits would not change anybody's decisions. */
const relevantDifference = 0.1;

/**
 * Tests all kinds and horizons together (Benjamini and Hochberg 1995): the more records are tested, the more each must
 * show. Each record is tested at the level that applies once it is found together with those already found; its
 * interval and the smallest detectable difference belong to that level.
 */
export function findings(estimates: readonly Estimate[]): Finding[] {
  const chances = estimates.map(chanceOf);
  return estimates.map((estimate, index) => {
    const others = chances.filter((_, other) => other !== index);
    const level = (falseDiscoveries * countSignificant([0, ...others])) / chances.length;
    return findingOf(estimate, level);
  });
}

const chanceOf = ({ mean, error, freedom }: Estimate): number => {
  const chance = beyond(mean / error, freedom);
  return Number.isFinite(chance) ? chance : 1;
};

function countSignificant(chances: readonly number[]): number {
  const sorted = [...chances].sort((a, b) => a - b);
  return sorted.findLastIndex((chance, at) => chance <= (falseDiscoveries * (at + 1)) / sorted.length) + 1;
}

function findingOf(estimate: Estimate, level: number): Finding {
  const { mean, error, freedom } = estimate;
  const reach = above(level / 2, freedom);
  const detectable = detectableBy(estimate, reach);
  const interval: Interval = [Math.max(-1, mean - reach * error), Math.min(1, mean + reach * error)];
  return { verdict: verdictOf(interval, detectable), interval, detectable };
}

/** Returns the difference that lies beyond the reach of the error in four cases of five, if the share differs by as much. */
function detectableBy({ usual, error, freedom }: Estimate, reach: number): number {
  const chance = above(1 - power, freedom);
  let difference = 0;
  for (let round = 0; round < 8; round += 1) {
    const narrower = Math.sqrt(varianceOf(usual + difference) / varianceOf(usual));
    difference = (reach + chance * narrower) * error;
  }
  return Math.min(1, difference);
}

function verdictOf([low, high]: Interval, detectable: number): Finding['verdict'] {
  if (low > 0) return 'more';
  if (high < 0) return 'less';
  return detectable <= relevantDifference ? 'nothing' : 'few';
}
