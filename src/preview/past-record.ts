import type { Labels } from '../alert/alert.ts';
import { type Expectation, horizons, type Outcome, priceSymbolOf } from '../alert/outcome.ts';
import type { DataClient } from '../contract/data-client.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { hour, minute } from '../runtime/units.ts';
import type { PastAlert, PastRecord } from './past-alerts.ts';

/**
 * Marks come every 5 minutes, so the newest mark at this time after a moment is the first one after the moment. A mark
 * before the moment would attribute earlier moves to the alert, and the close of the hour would include later ones.
 */
const markEvery = 5 * minute;
/** A mark older than this belongs to another moment. */
const staleAfter = 11 * minute;
/** The most hours that the service returns: 41 days. */
const maxHours = 1_000;

/** Computes what the price did after the announced alerts, from the marks of that time. */
export async function recordOf(
  alerts: readonly PastAlert[],
  {
    claimOf,
    at,
    to,
  }: {
    readonly claimOf: (labels: Labels) => Expectation | null;
    readonly at: (now: number) => Pick<DataClient, 'basis' | 'oi' | 'candles'>;
    /** End of the past, market ms. */
    readonly to: number;
  },
): Promise<PastRecord> {
  const priceAt = async (symbol: string, moment: number): Promise<number | null> => {
    const then = moment + markEvery;
    if (then > to) return null;
    const fresh = (timestamp: string) => then - Date.parse(timestamp) <= staleAfter;
    const mark = (await ifAnswered(at(then).basis({ symbol, hours: 1 })))?.current;
    if (mark !== undefined && fresh(mark.timestamp)) return mark.markPrice;
    // Marks are kept for a week, open interest for a month. The value of the open interest gives the mark of its moment.
    const [snapshot] = (await ifAnswered(at(then).oi({ symbol, limit: 1 })))?.data ?? [];
    if (snapshot === undefined || !fresh(snapshot.timestamp)) return null;
    const price = Number(snapshot.oi_value_usd) / Number(snapshot.oi_contracts);
    return Number.isFinite(price) && price > 0 ? price : null;
  };
  const outcomes: Outcome[] = [];
  for (const { labels, announcements } of alerts) {
    const [first] = announcements;
    const claim = claimOf(labels);
    if (first === undefined || claim === null) continue;
    const symbol = priceSymbolOf(labels);
    const price = await priceAt(symbol, first.at);
    const after: (number | null)[] = [];
    for (const horizon of horizons) after.push(await priceAt(symbol, first.at + horizon));
    outcomes.push({ kind: labels.kind, symbol, claim, firedAt: first.at, price, after, estimated: false });
  }
  const closes: Record<string, PastRecord['closes'][string]> = {};
  for (const symbol of new Set(outcomes.map((one) => one.symbol))) {
    const answer = await ifAnswered(at(to).candles({ symbol, interval: '1h', limit: maxHours }));
    const closed = new Map(
      answer?.data.map(({ open_time, c }) => [Date.parse(open_time) + hour, Number(c)] as const),
    );
    if (closed.size === 0) continue;
    const from = Math.min(...closed.keys());
    const count = Math.round((Math.max(...closed.keys()) - from) / hour) + 1;
    const prices = Array.from({ length: count }, (_, index) => closed.get(from + index * hour) ?? null);
    closes[symbol] = { from, prices };
  }
  return { outcomes, closes };
}
