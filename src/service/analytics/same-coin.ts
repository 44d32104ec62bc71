/**
 * How far apart the prices of one coin at two venues may be, as a share. Arbitrage holds them within a percent; in a crash
 * some percent were seen. What is further off is another thing of the same name, or another unit of it.
 */
const maxPriceGap = 0.05;

/**
 * Splits legs by price: most of them decide which price the coin has. Where two sides are of one size, the side of the
 * earliest leg is right, which is the primary venue's. The others have their distance from the median of those that agree.
 */
export function splitByPrice<Leg>(legs: readonly Leg[], priceOf: (leg: Leg) => number) {
  const isNear = (one: Leg, other: Leg) =>
    Math.abs(Math.log(priceOf(one) / priceOf(other))) <= Math.log1p(maxPriceGap);
  let same: readonly Leg[] = [];
  for (const leg of legs) {
    const near = legs.filter((other) => isNear(leg, other));
    if (near.length > same.length) same = near;
  }
  const prices = same.map(priceOf).sort((a, b) => a - b);
  const median =
    ((prices[Math.floor((prices.length - 1) / 2)] ?? 0) + (prices[Math.floor(prices.length / 2)] ?? 0)) / 2;
  return {
    same,
    others: legs.flatMap((leg) =>
      same.includes(leg) ? [] : [{ leg, deviationPct: (priceOf(leg) / median - 1) * 100 }],
    ),
  };
}
