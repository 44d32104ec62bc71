import { hour } from '../../runtime/units.ts';
import type { SettledFunding } from '../archive/archive.ts';
import type { Coin } from './coin.ts';
import { rateSince } from './perpetual.ts';
import type { RecordedSymbols } from './recorded-symbol.ts';

export interface FundingLine {
  /** The running rate, a fraction per settlement. */
  rate(coin: Coin, time: number): number;
  /** Market ms, both ends included. */
  settlements(coin: Coin, given: { readonly from: number; readonly to: number }): SettledFunding[];
}

/** What each coin's funding is: as recorded where it is, else as made. */
export function createFundingLine(recorded: RecordedSymbols, genesis: number): FundingLine {
  const rowsOf = ({ listing }: Coin) => recorded.get(listing.symbol)?.funding;
  const periodOf = ({ listing }: Coin) => listing.fundingHours * hour;
  return {
    rate(coin, time) {
      const rows = rowsOf(coin);
      if (rows === undefined)
        return rateSince(coin, { start: Math.floor(time / periodOf(coin)) * periodOf(coin), time });
      // A recording holds settlements only: between two of them the running rate is drawn as a line.
      const next = lowerBound(rows, time);
      const before = rows[next - 1] ?? rows[next];
      const after = rows[next] ?? before;
      if (before === undefined || after === undefined) return 0;
      const share = after.time > before.time ? (time - before.time) / (after.time - before.time) : 0;
      return before.rate + (after.rate - before.rate) * share;
    },
    settlements(coin, { from, to }) {
      const rows = rowsOf(coin);
      if (rows !== undefined) return rows.slice(lowerBound(rows, from), lowerBound(rows, to + 1));
      const period = periodOf(coin);
      const made: SettledFunding[] = [];
      const first = Math.ceil(Math.max(from, genesis + period) / period) * period;
      for (let time = first; time <= to; time += period) {
        made.push({
          symbol: coin.listing.symbol,
          time,
          rate: rateSince(coin, { start: time - period, time }),
        });
      }
      return made;
    },
  };
}

/** Index of the first row at or after `time`. */
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
