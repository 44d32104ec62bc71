import { hour } from '../../runtime/units.ts';
import type { SettledFunding, TimeRange } from '../archive/archive.ts';
import type { Coin } from './coin.ts';
import { everyStep } from './every-step.ts';
import { rateSince } from './perpetual.ts';
import type { RecordedSymbols } from './recorded-symbol.ts';

/** Provides each coin's funding: recorded if the coin's funding is recorded, else generated. */
export function createFundingLine(recorded: RecordedSymbols, genesis: number) {
  const rowsOf = ({ listing }: Coin) => recorded.get(listing.symbol)?.funding;
  const periodOf = ({ listing }: Coin) => listing.fundingHours * hour;
  return {
    /** Returns the running rate, a fraction per settlement. */
    rate(coin: Coin, time: number): number {
      const rows = rowsOf(coin);
      if (rows === undefined)
        return rateSince(coin, Math.floor(time / periodOf(coin)) * periodOf(coin), time);
      // A recording holds settlements only. The running rate is interpolated linearly between them.
      const next = lowerBound(rows, time);
      const before = rows[next - 1] ?? rows[next];
      const after = rows[next] ?? before;
      if (before === undefined || after === undefined) return 0;
      const share = after.time > before.time ? (time - before.time) / (after.time - before.time) : 0;
      return before.rate + (after.rate - before.rate) * share;
    },
    /** Returns the settlements from `from` to `to`, market ms, both ends included. */
    settlements(coin: Coin, { from, to }: TimeRange): SettledFunding[] {
      const rows = rowsOf(coin);
      if (rows !== undefined) return rows.slice(lowerBound(rows, from), lowerBound(rows, to + 1));
      const period = periodOf(coin);
      return everyStep({ from: Math.max(from, genesis + period), to }, period).map((time) => ({
        symbol: coin.listing.symbol,
        time,
        rate: rateSince(coin, time - period, time),
      }));
    },
  };
}

/** Returns the index of the first row at or after `time`. */
function lowerBound(rows: readonly { readonly time: number }[], time: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle]?.time ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
