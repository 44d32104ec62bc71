import type { EndpointAnswer } from '../../contract/index.ts';
import { iso } from '../../runtime/units.ts';
import type { Book } from '../archive/archive.ts';
import type { Derivation } from './derivation.ts';
import { clip, round } from './statistics.ts';

export type Spread = Omit<EndpointAnswer<'spread'>, 'symbol'>;
type Row = Spread['data'][number];
export type SpreadSignal = 'WIDE_SPREAD' | 'BID_HEAVY' | 'ASK_HEAVY' | 'NORMAL';

/** spreadPct = (ask − bid) / mid × 100 of a minute's averaged top of book; a crossed or empty book gives no row. */
export const spreadRows: Derivation<Book, Row> = {
  lead: 0,
  make: ({ time, bidPrice, askPrice, imbalance }) =>
    bidPrice > 0 && askPrice >= bidPrice
      ? {
          timestamp: iso(time),
          bidPrice,
          askPrice,
          spreadPct: round(((askPrice - bidPrice) / ((askPrice + bidPrice) / 2)) * 100, 6),
          imbalance: round(clip(imbalance, 1), 4),
        }
      : undefined,
};

/** Averages of no rows are 0. @param data ascending */
export function spread(data: Row[]): Spread {
  const current = data.at(-1);
  let sum = 0;
  for (const { spreadPct } of data) sum += spreadPct;
  const avgSpreadPct = data.length === 0 ? 0 : round(sum / data.length, 6);
  return {
    data,
    dataPoints: data.length,
    ...(current === undefined ? {} : { current }),
    avgSpreadPct,
    signal: current === undefined ? 'NORMAL' : spreadSignal(current, avgSpreadPct),
  };
}

/** Interface, rule 7: width before weight. */
export function spreadSignal(
  { spreadPct, imbalance }: { spreadPct: number; imbalance: number },
  avgSpreadPct: number,
): SpreadSignal {
  if (spreadPct > 2 * avgSpreadPct) return 'WIDE_SPREAD';
  if (imbalance > 0.3) return 'BID_HEAVY';
  return imbalance < -0.3 ? 'ASK_HEAVY' : 'NORMAL';
}
