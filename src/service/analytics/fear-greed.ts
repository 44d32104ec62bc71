import { day } from '../../runtime/units.ts';
import type { RegimeRow } from '../archive/archive.ts';
import { clip, mean, round } from './statistics.ts';

/** The age up to which the published index is used, ms. It is published once a day. */
export const fearGreedFreshFor = 2 * day;

/**
 * The points that each part can add to 50 or subtract from it; they sum to 50. This is our own estimate for when the
 * published index is unavailable, modelled on the index's main parts (alternative.me: volatility 25 %, momentum 25 %). It
 * must be labelled as an estimate.
 */
const fearGreedWeights = {
  /** p(RISK_ON) − p(RISK_OFF) of BTC. */
  regime: 20,
  /** Volatility above the median of its last year counts as fear, below as calm. */
  volatility: 15,
  /** The mean signal of all coins. It seldom exceeds 0.5, so it is doubled and clipped. */
  breadth: 15,
} as const;

/** Estimates the fear and greed index, 0 (fear) to 100 (greed). */
export function estimateFearGreed(
  regime: Pick<RegimeRow, 'riskOn' | 'riskOff' | 'volatilityPercentile'>,
  signals: readonly number[],
): number {
  const breadth = signals.length === 0 ? 0 : clip(2 * mean(signals), 1);
  return round(
    50 +
      fearGreedWeights.regime * (regime.riskOn - regime.riskOff) +
      fearGreedWeights.volatility * (1 - regime.volatilityPercentile / 50) +
      fearGreedWeights.breadth * breadth,
    0,
  );
}
