import { liquidationPrice, type Side } from '../../runtime/liquidation-price.ts';
import { day } from '../../runtime/units.ts';
import type { OpenInterest } from '../archive/archive.ts';
import { round } from './statistics.ts';

/** How far back positions are looked for, ms: few leveraged positions stay open longer, and /oi serves no more at once. */
export const zonesWindow = 7 * day;

/**
 * How new positions are assumed to be spread over leverages, as shares of their USD. No exchange publishes this: the
 * shares are our own, the middle of what traders say they use. They are the largest uncertainty in every result
 * derived from them.
 */
export const leverageShares = [
  { leverage: 5, share: 0.2 },
  { leverage: 10, share: 0.3 },
  { leverage: 25, share: 0.25 },
  { leverage: 50, share: 0.15 },
  { leverage: 100, share: 0.1 },
] as const;

export interface OpenPosition {
  readonly side: Side;
  readonly price: number;
  readonly usd: number;
}

/**
 * Estimates the open positions. Every rise of open interest opens as many longs as shorts, entered at that snapshot's
 * price and spread over `leverageShares`. A fall closes all open positions in proportion. Positions whose liquidation
 * price has been reached since are gone. Prices between two snapshots are not seen. A large study found that such maps
 * explain next to nothing of later returns (R² 0.005): they say where liquidations would happen, not whether.
 *
 * @param snapshots Snapshots of one symbol, ascending in time.
 * @returns The positions, and the share of the last open interest that was opened within the snapshots.
 */
export function openPositions(snapshots: readonly OpenInterest[]): {
  readonly positions: readonly OpenPosition[];
  readonly coverage: number;
} {
  const rows = snapshots.filter(({ contracts, valueUsd }) => contracts > 0 && valueUsd > 0);
  const last = rows.at(-1);
  if (last === undefined) return { positions: [], coverage: 0 };
  const positions: OpenPosition[] = [];
  // The loop runs backwards to know for each row which share of its contracts is still open (`openShare`) and the later prices.
  let openShare = 1;
  let covered = 0;
  let [lowest, highest] = [Number.POSITIVE_INFINITY, 0];
  for (let at = rows.length - 1; at > 0; at -= 1) {
    const [before, row] = [rows[at - 1], rows[at]];
    if (before === undefined || row === undefined) continue;
    const entry = row.valueUsd / row.contracts;
    const opened = (row.contracts - before.contracts) * openShare;
    if (opened > 0) {
      covered += opened;
      for (const { leverage, share } of leverageShares) {
        const long = liquidationPrice('LONG', entry, leverage);
        const short = liquidationPrice('SHORT', entry, leverage);
        if (long < lowest) positions.push({ side: 'LONG', price: long, usd: opened * share * long });
        if (short > highest) positions.push({ side: 'SHORT', price: short, usd: opened * share * short });
      }
    } else openShare *= row.contracts / before.contracts;
    lowest = Math.min(lowest, entry);
    highest = Math.max(highest, entry);
  }
  return { positions, coverage: round(Math.min(1, covered / last.contracts), 4) };
}

interface Zone {
  readonly side: Side;
  /** Middle of the zone. */
  readonly price: number;
  readonly distancePct: number;
  readonly estimatedUsd: number;
}

/** The width of a zone, and the largest distance of a returned zone, both in percent of the price. */
export const zoneWidthPct = 0.5;
const maxDistancePct = 25;

/** Groups positions into zones around `price`, lowest price first. */
export function zonesOf(positions: readonly OpenPosition[], price: number): Zone[] {
  const usdByBin = new Map<number, Record<Side, number>>();
  for (const position of positions) {
    const bin = Math.floor((position.price / price - 1) / (zoneWidthPct / 100));
    const sums = usdByBin.getOrInsertComputed(bin, () => ({ LONG: 0, SHORT: 0 }));
    sums[position.side] += position.usd;
  }
  return [...usdByBin]
    .sort(([a], [b]) => a - b)
    .flatMap(([bin, sums]) => {
      const distancePct = round((bin + 0.5) * zoneWidthPct, 2);
      if (Math.abs(distancePct) > maxDistancePct) return [];
      return (['LONG', 'SHORT'] as const).flatMap((side) => {
        const estimatedUsd = round(sums[side], 2);
        return estimatedUsd > 0
          ? [{ side, price: round(price * (1 + distancePct / 100), 8), distancePct, estimatedUsd }]
          : [];
      });
    });
}

/** Returns the USD of each side that would be liquidated within `withinPct` of the price. */
export function usdNear(positions: readonly OpenPosition[], price: number, withinPct: number) {
  const near = { LONG: 0, SHORT: 0 };
  for (const position of positions)
    if (Math.abs(position.price / price - 1) * 100 <= withinPct) near[position.side] += position.usd;
  return near;
}
