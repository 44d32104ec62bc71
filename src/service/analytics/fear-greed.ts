import { day } from '../../runtime/units.ts';
import type { RegimeRow } from '../archive/archive.ts';
import { clip, mean, round } from './statistics.ts';

/** The published index is used up to this age; it comes once a day. */
export const fearGreedFreshFor = 2 * day;

/**
 * Points of 50 that each part can add or take; they sum to 50. An estimate of ours for when the published index
 * cannot be had, after its leading parts (alternative.me: volatility 25 %, momentum 25 %), to be called one.
 */
export const fearGreedWeights = {
  /** BTC's regime score. */
  regime: 20,
  /** Volatility above its own year's middle is fear, below it calm. */
  volatility: 15,
  /** The mean signal of all coins, which seldom passes a half: doubled and clipped. */
  breadth: 15,
} as const;

/** 0 (fear) to 100 (greed); undefined without a regime. */
export function estimateFearGreed(
  regime: Pick<RegimeRow, 'score' | 'volatilityPercentile'> | undefined,
  signals: readonly number[],
): number | undefined {
  if (regime === undefined) return undefined;
  const breadth = signals.length === 0 ? 0 : clip(2 * mean(signals), 1);
  return round(
    50 +
      (fearGreedWeights.regime * clip(regime.score, 100)) / 100 +
      fearGreedWeights.volatility * (1 - regime.volatilityPercentile / 50) +
      fearGreedWeights.breadth * breadth,
    0,
  );
}
