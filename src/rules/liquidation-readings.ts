import { ifAnswered } from '../runtime/errors.ts';
import { hour, iso } from '../runtime/units.ts';
import type { Question, Reading } from './feed.ts';

/** The most liquidations that the service returns. If there are more, the oldest are missing. */
const limit = 500;
/** The most requests about single symbols in a round where one answer does not hold all liquidations. */
const maxSingle = 4;

/** USD liquidated of one symbol. */
interface Liquidated {
  readonly long: number;
  readonly short: number;
}
const none: Liquidated = { long: 0, short: 0 };

/**
 * Returns what was liquidated in the last hour. While the service says that its liquidations are stale, that is not known, and
 * nothing is returned: an hour without any would look the same. If that is more than one answer holds, the symbols with most of it are
 * asked about singly; of the others, and of those that fill an answer of their own, only a lower bound is known.
 */
export async function liquidationReadings({
  data,
  symbols,
  now,
  signal,
}: Question): Promise<readonly Reading[]> {
  const quality = await ifAnswered(data.dataQuality({}, signal));
  if (quality?.checks.liquidation_events?.fresh === false) return [];
  const window = { since: iso(now - hour), limit };
  const ask = async (symbol?: string) => {
    const query = symbol === undefined ? window : { ...window, symbol };
    const { data: events } = await data.liquidations(query, signal);
    const sums = new Map<string, Liquidated>();
    for (const { symbol, side, usd_value } of events) {
      const { long, short } = sums.get(symbol) ?? none;
      sums.set(
        symbol,
        side === 'LONG' ? { long: long + usd_value, short } : { long, short: short + usd_value },
      );
    }
    return { sumOf: (symbol: string) => sums.get(symbol) ?? none, isFull: events.length >= limit };
  };
  const all = await ask();
  const single = new Map<string, typeof all>();
  const total = (symbol: string) => all.sumOf(symbol).long + all.sumOf(symbol).short;
  const largest = all.isFull ? symbols.toSorted((a, b) => total(b) - total(a)).slice(0, maxSingle) : [];
  for (const symbol of largest) {
    const answer = await ifAnswered(ask(symbol));
    if (answer === undefined) break;
    single.set(symbol, answer);
  }
  return symbols.map((symbol) => {
    const { sumOf, isFull } = single.get(symbol) ?? all;
    const { long, short } = sumOf(symbol);
    return {
      symbol,
      time: now,
      values: { 'liquidations.longUsd1h': long, 'liquidations.shortUsd1h': short },
      ...(isFull && { atLeast: true }),
    };
  });
}
