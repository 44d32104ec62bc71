import { computed, type Signal, signal } from '@preact/signals';
import type { BoardEntries, BoardKey, BoardPatch, Figure } from '../platforms/web/ports/board.ts';
import type { BotStatus } from '../shell/command.ts';
import type { ConnectionState } from './stream.ts';

export interface Health extends BotStatus {
  readonly roles: readonly { readonly role: string; readonly held: boolean }[];
}

export const connection = signal<ConnectionState>('connecting');
/** Why the bot refuses the connection, in words. */
export const connectionRefusal = signal<string | undefined>(undefined);
export const health = signal<Health | undefined>(undefined);
/** Wall ms at which the health arrived. */
let healthAt = 0;

export function receiveHealth(next: Health): void {
  healthAt = Date.now();
  health.value = next;
  tick();
}

/** Health older than this is outdated, wall ms, whatever the state of the connection. */
const maxHealthAge = 8_000;

/** Returns the current market time, extrapolated from the last health, ms; undefined before the first one. */
const currentMarketTime = (): number | undefined => {
  const now = health.peek();
  return now === undefined ? undefined : now.marketTime + (Date.now() - healthAt) * now.speed;
};

/** Market time up to which the page's data is current: it stops while the data service or the bot does not answer. */
export const dataClock = signal<number | undefined>(undefined);
/** Market ms since which no data has arrived. */
export const stoppedAt = computed(() => health.value?.away?.since);
/** Market time as it continues; the age of figures is measured by it. */
export const marketNow = signal(0);
export const isLive = signal(false);

function tick(): void {
  const now = currentMarketTime();
  if (now === undefined) return;
  const state = health.peek();
  isLive.value =
    connection.value === 'open' && state?.away === undefined && Date.now() - healthAt < maxHealthAge;
  if (isLive.value) dataClock.value = Math.floor(now / 60_000) * 60_000;
  else if (state?.away?.since !== undefined) dataClock.value = Math.floor(state.away.since / 60_000) * 60_000;
  marketNow.value = Math.floor(now / 10_000) * 10_000;
}
setInterval(tick, 250);

/** Each piece of the board has its own signal, so that a piece that has not changed is not drawn again. */
const pieces = new Map<string, Signal<unknown>>();
export function piece<Key extends BoardKey>(key: Key): Signal<BoardEntries[Key] | undefined> {
  const known = pieces.get(key) ?? signal(undefined);
  pieces.set(key, known);
  return known as Signal<BoardEntries[Key] | undefined>;
}

/** Names of the markets on the board. */
export const symbols = signal<readonly string[]>([]);

const isOfMarket = (key: string) => key.includes('/');

/**
 * Replaces all pieces that the page has of the markets with this board's. A board without markets is that of a bot that
 * has just started: the page keeps what it has.
 */
export function replaceBoard(board: BoardEntries): void {
  const replaced = Object.keys(board).some(isOfMarket) ? [...pieces.keys()].filter(isOfMarket) : [];
  receiveBoardPatch({ ...Object.fromEntries(replaced.map((key) => [key, null])), ...board });
}

export function receiveBoardPatch(patch: BoardPatch): void {
  const known = new Set(symbols.peek());
  for (const [key, value] of Object.entries(patch)) {
    piece(key as BoardKey).value = (value ?? undefined) as never;
    if (!key.startsWith('market/')) continue;
    const symbol = key.slice('market/'.length);
    if (value === null) known.delete(symbol);
    else known.add(symbol);
  }
  const next = [...known].sort();
  if (next.join() !== symbols.peek().join()) symbols.value = next;
}

/** Returns whether figures of a kind are older than twice their interval. Data takes up to three seconds to arrive. */
export const isOld = (figure: Figure): boolean => {
  const seen = piece('seen').value?.[figure];
  const speed = health.value?.speed ?? 1;
  return seen !== undefined && marketNow.value - seen.at > 2 * seen.every + 3_000 * speed;
};
