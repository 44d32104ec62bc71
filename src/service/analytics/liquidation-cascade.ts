import type { OpenPosition } from './liquidation-zones.ts';
import { round } from './statistics.ts';

/** The most rounds simulated; by then a cascade has ended or has liquidated all positions. */
const maxRounds = 30;

interface Cascade {
  readonly rounds: readonly { readonly price: number; readonly estimatedUsd: number }[];
  readonly estimatedFinalPrice: number;
  readonly estimatedTotalUsd: number;
  readonly amplification: number;
}

/**
 * Estimates a cascade. The price moves by `movePct` at once. The positions that it reaches are liquidated by market
 * orders, which move the price further: by σ·√(Q / V) in all, where σ is `dailyVolatility`, Q the USD liquidated so far
 * and V `dailyVolumeUsd` (the square-root law of impact: Tóth et al., Phys. Rev. X 1, 021006, 2011, coefficient near 1).
 * This repeats until no further position is reached. It is a worst case: nobody buys the fall and nobody adds margin.
 *
 * @param dailyVolatility Standard deviation of a day's log return, a fraction.
 * @param dailyVolumeUsd USD traded in a day.
 */
export function simulateCascade(options: {
  readonly price: number;
  readonly movePct: number;
  readonly positions: readonly OpenPosition[];
  readonly dailyVolatility: number;
  readonly dailyVolumeUsd: number;
}): Cascade {
  const { price, movePct, positions, dailyVolatility, dailyVolumeUsd } = options;
  const down = movePct < 0;
  const firstPrice = price * (1 + movePct / 100);
  // Sorted with the nearest first, so that each position is looked at once.
  const positionsAhead = positions
    .filter(({ side }) => side === (down ? 'LONG' : 'SHORT'))
    .toSorted((a, b) => (down ? b.price - a.price : a.price - b.price));
  const rounds: { price: number; estimatedUsd: number }[] = [];
  let [reachedPrice, total, next] = [firstPrice, 0, 0];
  while (movePct !== 0 && rounds.length < maxRounds) {
    let liquidated = 0;
    for (let position = positionsAhead[next]; position !== undefined; position = positionsAhead[next]) {
      if (down ? position.price < reachedPrice : position.price > reachedPrice) break;
      liquidated += position.usd;
      next += 1;
    }
    if (liquidated === 0) break;
    total += liquidated;
    rounds.push({ price: round(reachedPrice, 8), estimatedUsd: round(liquidated, 2) });
    const impact = dailyVolumeUsd > 0 ? dailyVolatility * Math.sqrt(total / dailyVolumeUsd) : 0;
    reachedPrice = firstPrice * Math.exp(down ? -impact : impact);
  }
  return {
    rounds,
    estimatedFinalPrice: round(reachedPrice, 8),
    estimatedTotalUsd: round(total, 2),
    amplification: movePct === 0 ? 1 : Math.max(1, round(((reachedPrice / price - 1) * 100) / movePct, 4)),
  };
}
