import type { EndpointAnswer } from '../../contract/index.ts';
import { iso } from '../../runtime/units.ts';
import type { Book } from '../archive/archive.ts';
import type { Derivation } from '../archive/derivation.ts';
import { clip, mean, round } from './statistics.ts';

type Spread = EndpointAnswer<'spread'>;
type Row = Spread['data'][number];
type SpreadSignal = 'WIDE_SPREAD' | 'BID_HEAVY' | 'ASK_HEAVY' | 'NORMAL';

/** Computes spreadPct = (ask − bid) / mid × 100 from a minute's averaged top of book. A crossed or empty book gives no row. */
export const spreadRows: Derivation<Book, Row> = {
  lead: 0,
  make(books, index) {
    const [bidPrice, askPrice] = [books.bidPrice[index] as number, books.askPrice[index] as number];
    if (!(bidPrice > 0 && askPrice >= bidPrice)) return undefined;
    return {
      timestamp: iso(books.time[index] as number),
      bidPrice,
      askPrice,
      spreadPct: round(((askPrice - bidPrice) / ((askPrice + bidPrice) / 2)) * 100, 6),
      imbalance: round(clip(books.imbalance[index] as number, 1), 4),
    };
  },
};

/** Builds the answer of /spread. The average of no rows is 0. @param data ascending in time */
export function spread(symbol: string, data: Row[]): Spread {
  const current = data.at(-1);
  if (current === undefined) return { symbol, data, dataPoints: 0, avgSpreadPct: 0, signal: 'NORMAL' };
  const avgSpreadPct = round(mean(data.map(({ spreadPct }) => spreadPct)), 6);
  return {
    symbol,
    data,
    dataPoints: data.length,
    current,
    avgSpreadPct,
    signal: spreadSignal(current, avgSpreadPct),
  };
}

/** Returns the signal of /spread: a wide spread takes precedence over an imbalance. */
export function spreadSignal(
  { spreadPct, imbalance }: { spreadPct: number; imbalance: number },
  avgSpreadPct: number,
): SpreadSignal {
  if (spreadPct > 2 * avgSpreadPct) return 'WIDE_SPREAD';
  if (imbalance > 0.3) return 'BID_HEAVY';
  return imbalance < -0.3 ? 'ASK_HEAVY' : 'NORMAL';
}
