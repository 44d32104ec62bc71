import type { LiquidationTape, TapeEvent } from '../../platforms/board.ts';
import { hour } from '../../runtime/units.ts';

/** The most events that are shown. */
const shown = 40;
/** The most events that are summed. The feed has at most one event a second for each market. */
const most = 5_000;

/** Creates the list of the last hour's liquidations. An event that comes in several times is counted once. */
export function createTape() {
  let events: readonly TapeEvent[] = [];
  let seen = new Set<string>();
  const nameOf = ({ symbol, side, at, usd, price }: TapeEvent) => `${symbol} ${side} ${at} ${usd} ${price}`;
  const sums = (of: readonly TapeEvent[]) => {
    const sum = (side: string) =>
      of.reduce((total, event) => (event.side === side ? total + event.usd : total), 0);
    return { longs: sum('LONG'), shorts: sum('SHORT') };
  };
  let bySymbol = new Map<string, { longs: number; shorts: number }>();

  return {
    /** Adds events. Those that are known already are ignored. @param now market ms */
    hear(heard: readonly TapeEvent[], now: number): void {
      const news = heard.filter((event) => !seen.has(nameOf(event)));
      events = [...news, ...events]
        .filter(({ at }) => at > now - hour)
        .sort((a, b) => b.at - a.at)
        .slice(0, most);
      seen = new Set(events.map(nameOf));
      bySymbol = new Map(
        [...Map.groupBy(events, ({ symbol }) => symbol)].map(([symbol, of]) => [symbol, sums(of)]),
      );
    },
    of: (symbol: string) => bySymbol.get(symbol) ?? { longs: 0, shorts: 0 },
    read: (): LiquidationTape => ({ events: events.slice(0, shown), ...sums(events) }),
  };
}
