import type { Fetched } from '../../../client/create-client.ts';
import type { Board, BoardEntries, BoardPatch, Figure } from '../../../platforms/web/ports/board.ts';
import { createMarketMemory, type MarketMemory, rowOf, settlementsOf, trailOf } from './market.ts';
import { type BoardState, readAnswer } from './readings.ts';
import { createTape } from './tape.ts';

type Writable<Fields> = { -readonly [Name in keyof Fields]: Fields[Name] };

/** The least time between two patches, wall ms. */
const patchInterval = 500;

export interface FilledBoard extends Board {
  /** Takes in what the client has fetched, whichever part of the bot requested it. */
  applyAnswer(fetched: Fetched): void;
  /** Forgets everything, because the market has ended. */
  clear(): void;
  /** Returns when figures of this kind last came in, overall or for one market, market ms. Undefined: never. */
  updatedAt(figure: Figure, symbol?: string): number | undefined;
  readonly symbols: () => readonly string[];
  /** The newest price of a market, and its time, market ms. */
  priceOf(symbol: string): { readonly value: number; readonly at: number } | undefined;
}

/**
 * Creates the board. It is filled by requests that are made anyway, so reading it costs no request.
 * @param runLater runs `work` after `ms` of wall time
 */
export function createBoard(runLater: (work: () => void, ms: number) => void): FilledBoard {
  const markets = new Map<string, MarketMemory>();
  const empty = () => ({
    tape: createTape(),
    past: { stretches: [], price: [] },
    seen: {},
  });
  const state: BoardState = {
    ...empty(),
    market: (symbol) => markets.getOrInsertComputed(symbol, createMarketMemory),
    forgetPricedBefore(at) {
      for (const [symbol, { price }] of markets)
        if (price !== undefined && price.at < at) markets.delete(symbol);
    },
    recordUpdate(figure, { at, every, symbol }) {
      state.seen = { ...state.seen, [figure]: { at, every } };
      if (symbol !== undefined) state.market(symbol).updatedAt.set(figure, at);
    },
  };
  /** Each listener, and whether it wants patches at present. */
  const listeners = new Map<(patch: BoardPatch) => void, () => boolean>();
  /** Each entry as it was last sent, as JSON: an entry that has not changed is not sent again. */
  let sentJson = new Map<string, string>();
  let isPatchScheduled = false;

  const read = (): BoardEntries => {
    const { regime, breadth, past, seen, tape } = state;
    const entries: Writable<BoardEntries> = { seen, tape: tape.read(), past };
    if (regime !== undefined) entries.regime = regime;
    if (breadth !== undefined) entries.breadth = breadth;
    for (const [symbol, market] of markets) {
      // A market that only a detector has asked about, and that the overview does not list, has no price and no row.
      if (market.price === undefined) continue;
      entries[`market/${symbol}`] = rowOf(market, tape.sumsOf(symbol));
      entries[`trail/${symbol}`] = trailOf(market);
      entries[`settlements/${symbol}`] = settlementsOf(market);
    }
    return entries;
  };

  const sendPatch = () => {
    isPatchScheduled = false;
    const now = new Map(Object.entries(read()).map(([key, value]) => [key, JSON.stringify(value)]));
    const gone = [...sentJson.keys()].filter((key) => !now.has(key));
    const patch = [
      ...[...now].filter(([key, json]) => sentJson.get(key) !== json),
      ...gone.map((key) => [key, 'null'] as const),
    ];
    sentJson = now;
    if (patch.length === 0) return;
    const entries = Object.fromEntries(patch.map(([key, json]) => [key, JSON.parse(json)]));
    for (const listener of listeners.keys()) listener(entries);
  };

  return {
    read,
    onPatch: (listener, isWanted = () => true) => void listeners.set(listener, isWanted),
    clear() {
      markets.clear();
      delete state.regime;
      Object.assign(state, empty());
    },
    updatedAt: (figure, symbol) =>
      symbol === undefined ? state.seen[figure]?.at : markets.get(symbol)?.updatedAt.get(figure),
    symbols: () => [...markets.values()].flatMap(({ symbol, price }) => (price ? [symbol] : [])),
    priceOf: (symbol) => markets.get(symbol)?.price,
    applyAnswer(fetched) {
      if (!readAnswer(state, fetched) || isPatchScheduled) return;
      if (![...listeners.values()].some((isWanted) => isWanted())) return;
      isPatchScheduled = true;
      runLater(sendPatch, patchInterval);
    },
  };
}
