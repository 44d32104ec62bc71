import type { LiquidationTape, TapeEvent } from '../../platforms/board.ts';
import { hour } from '../../runtime/units.ts';

/** The most events that are shown. */
const maxShown = 40;
/** The most events that are summed. The feed has at most one event a second for each market. */
const maxSummed = 5_000;

/** Creates the list of the last hour's liquidations. An event that comes in several times is counted once. */
export function createTape() {
  let events: readonly TapeEvent[] = [];
  let seenKeys = new Set<string>();
  const keyOf = ({ symbol, side, at, usd, price }: TapeEvent) => `${symbol} ${side} ${at} ${usd} ${price}`;
  const sums = (of: readonly TapeEvent[]) => {
    const sum = (side: string) =>
      of.reduce((total, event) => (event.side === side ? total + event.usd : total), 0);
    return { longs: sum('LONG'), shorts: sum('SHORT') };
  };
  let sumsBySymbol = new Map<string, { longs: number; shorts: number }>();

  return {
    /** Adds events. Those that are known already are ignored. @param now market ms */
    addEvents(incoming: readonly TapeEvent[], now: number): void {
      const newEvents = incoming.filter((event) => !seenKeys.has(keyOf(event)));
      events = [...newEvents, ...events]
        .filter(({ at }) => at > now - hour)
        .sort((a, b) => b.at - a.at)
        .slice(0, maxSummed);
      seenKeys = new Set(events.map(keyOf));
      sumsBySymbol = new Map(
        [...Map.groupBy(events, ({ symbol }) => symbol)].map(([symbol, of]) => [symbol, sums(of)]),
      );
    },
    sumsOf: (symbol: string) => sumsBySymbol.get(symbol) ?? { longs: 0, shorts: 0 },
    read: (): LiquidationTape => ({ events: events.slice(0, maxShown), ...sums(events) }),
  };
}
