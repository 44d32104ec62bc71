import type { Fetched } from '../../client/create-client.ts';
import type { Board, BoardEntries, Figure } from '../../platforms/board.ts';
import { type MarketMemory, newMarket, rowOf, settlementsOf, trailOf } from './market.ts';
import { type BoardState, readAnswer } from './readings.ts';
import { createTape } from './tape.ts';

type Writable<Fields> = { -readonly [Name in keyof Fields]: Fields[Name] };

/** Wall ms between two patches. */
const pause = 500;

export interface FilledBoard extends Board {
  /** What the client has fetched, whoever asked. */
  hear(fetched: Fetched): void;
  /** When figures of this kind were last heard, or those of one market; undefined: never. */
  heard(figure: Figure, symbol?: string): number | undefined;
  readonly symbols: () => readonly string[];
}

/**
 * The board, filled by what is asked anyway: to look at it costs no request.
 * @param later runs it after so many wall ms
 */
export function createBoard(later: (work: () => void, ms: number) => void): FilledBoard {
  const markets = new Map<string, MarketMemory>();
  const heard = new Map<string, number>();
  const state: BoardState = {
    tape: createTape(),
    past: { stretches: [], price: [] },
    seen: {},
    market(symbol) {
      const known = markets.get(symbol) ?? newMarket(symbol);
      markets.set(symbol, known);
      return known;
    },
    see(figure, { at, every, symbol }) {
      state.seen = { ...state.seen, [figure]: { at, every } };
      if (symbol !== undefined) heard.set(`${figure} ${symbol}`, at);
    },
  };
  const listeners = new Set<(patch: BoardEntries) => void>();
  /** Each piece as it was last told, as JSON: what has not changed is not told again. */
  let sent = new Map<string, string>();
  let waiting = false;

  const read = (): BoardEntries => {
    const { regime, past, seen, tape } = state;
    const entries: Writable<BoardEntries> = { seen, tape: tape.read(), past };
    if (regime !== undefined) entries.regime = regime;
    for (const [symbol, market] of markets) {
      // What only a detector of one market has asked about, and the overview has not, is no row.
      if (market.price === undefined) continue;
      entries[`market/${symbol}`] = rowOf(market, tape.of(symbol));
      entries[`trail/${symbol}`] = trailOf(market);
      entries[`settlements/${symbol}`] = settlementsOf(market);
    }
    return entries;
  };

  const tell = () => {
    waiting = false;
    const now = new Map(Object.entries(read()).map(([key, value]) => [key, JSON.stringify(value)]));
    const patch = [...now].filter(([key, json]) => sent.get(key) !== json);
    sent = now;
    if (patch.length === 0) return;
    const entries = Object.fromEntries(patch.map(([key, json]) => [key, JSON.parse(json)]));
    for (const listener of listeners) listener(entries);
  };

  return {
    read,
    onPatch: (listener) => void listeners.add(listener),
    heard: (figure, symbol) =>
      symbol === undefined ? state.seen[figure]?.at : heard.get(`${figure} ${symbol}`),
    symbols: () => [...markets.values()].flatMap(({ symbol, price }) => (price ? [symbol] : [])),
    hear(fetched) {
      if (!readAnswer(state, fetched) || waiting || listeners.size === 0) return;
      waiting = true;
      later(tell, pause);
    },
  };
}
