import type { Coverage } from '../../../client/all-liquidations.ts';
import type { LiquidationTape, TapeEvent } from '../../../platforms/web/ports/board.ts';
import { hour } from '../../../runtime/units.ts';

const maxShown = 40;
/** The most events that are summed. The feed has at most one event a second for each market. */
const maxSummed = 5_000;

/** Creates the list of the last hour's liquidations. An event that comes in several times is counted once. */
export function createTape() {
  /** The newest first. */
  let events: TapeEvent[] = [];
  let coverage: Coverage = [];
  const seenKeys = new Set<string>();
  const keyOf = ({ symbol, side, at, usd, price }: TapeEvent) => `${symbol} ${side} ${at} ${usd} ${price}`;
  const sums = (of: readonly TapeEvent[]) => {
    const sum = (side: string) =>
      of.reduce((total, event) => (event.side === side ? total + event.usd : total), 0);
    return { longs: sum('LONG'), shorts: sum('SHORT') };
  };
  /** Undefined until it is asked for: events come in more often than they are shown. */
  let sumsBySymbol: Map<string, { longs: number; shorts: number }> | undefined;

  return {
    /** Adds events. Those that are known already are ignored. @param now market ms */
    addEvents(incoming: readonly TapeEvent[], now: number): void {
      const newEvents = incoming.filter((event) => {
        const key = keyOf(event);
        return !seenKeys.has(key) && seenKeys.add(key);
      });
      events = [...newEvents, ...events].sort((a, b) => b.at - a.at);
      const kept = Math.min(maxSummed, events.findLastIndex(({ at }) => at > now - hour) + 1);
      for (const event of events.splice(kept)) seenKeys.delete(keyOf(event));
      sumsBySymbol = undefined;
    },
    setCoverage(next: Coverage): void {
      coverage = next;
    },
    sumsOf(symbol: string) {
      sumsBySymbol ??= new Map(
        [...Map.groupBy(events, (event) => event.symbol)].map(([name, of]) => [name, sums(of)]),
      );
      return sumsBySymbol.get(symbol) ?? { longs: 0, shorts: 0 };
    },
    read: (): LiquidationTape => ({ events: events.slice(0, maxShown), coverage, ...sums(events) }),
  };
}
