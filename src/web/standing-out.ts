import type { MarketRow } from '../platforms/board.ts';

/**
 * Returns how much a market stands out. Each figure is divided by a value that is large for it; the largest counts
 * most.
 */
export function prominence(row: MarketRow, firing: number): number {
  const { change1h = 0, change24h = 0, fundingZ = 0, interest1h = 0, basis = 0 } = row;
  const liquidated = row.longsLiquidated + row.shortsLiquidated;
  const parts = [
    Math.abs(change1h) / 1.5,
    Math.abs(change24h) / 6,
    Math.abs(fundingZ) / 2.5,
    Math.abs(interest1h) / 2.5,
    Math.abs(basis) / 0.25,
    Math.log10(1 + liquidated / 50_000) / 1.5,
    firing,
  ].sort((a, b) => b - a);
  return parts.reduce((sum, part, rank) => sum + part / 2 ** rank, 0);
}
