import { computed, type Signal, signal } from '@preact/signals';
import type { AlertRow } from '../platforms/alert-feed.ts';
import type { BoardEntries, BoardKey, Figure } from '../platforms/board.ts';
import type { BotStatus } from '../shell/command.ts';
import type { ConnectionState } from './stream.ts';

export interface Health extends BotStatus {
  readonly roles: readonly { readonly role: string; readonly held: boolean }[];
}

export const connection = signal<ConnectionState>('connecting');
export const health = signal<Health | undefined>(undefined);
/** Wall ms at which it came. */
let heardAt = 0;

export function hearHealth(next: Health): void {
  heardAt = Date.now();
  health.value = next;
  tick();
}

/** Wall ms after which what was heard last is old, whatever the connection says. */
const silence = 8_000;

/** Market time as it goes on by itself, ms; undefined before anything was heard. */
const running = (): number | undefined => {
  const now = health.peek();
  return now === undefined ? undefined : now.marketTime + (Date.now() - heardAt) * now.speed;
};

/** Market time as far as it is known: it stops where the data service or the bot does not answer. */
export const dataClock = signal<number | undefined>(undefined);
/** Since when no data has come, market ms. */
export const stoppedAt = computed(() => health.value?.away?.since);
/** Market time as it goes on, by which the age of figures is told. */
export const marketNow = signal(0);
export const isLive = signal(false);

function tick(): void {
  const now = running();
  if (now === undefined) return;
  const state = health.peek();
  isLive.value = connection.value === 'open' && state?.away === undefined && Date.now() - heardAt < silence;
  if (isLive.value) dataClock.value = Math.floor(now / 60_000) * 60_000;
  else if (state?.away?.since !== undefined) dataClock.value = Math.floor(state.away.since / 60_000) * 60_000;
  marketNow.value = Math.floor(now / 10_000) * 10_000;
}
setInterval(tick, 250);

/** The board's pieces, each by itself: what has not changed is not drawn again. */
const pieces = new Map<string, Signal<unknown>>();
export function piece<Key extends BoardKey>(key: Key): Signal<BoardEntries[Key] | undefined> {
  const known = pieces.get(key) ?? signal(undefined);
  pieces.set(key, known);
  return known as Signal<BoardEntries[Key] | undefined>;
}

/** The markets the board has, by name. */
export const symbols = signal<readonly string[]>([]);

export function hearBoard(entries: BoardEntries): void {
  const known = new Set(symbols.peek());
  for (const [key, value] of Object.entries(entries)) {
    piece(key as BoardKey).value = value as never;
    if (key.startsWith('market/')) known.add(key.slice('market/'.length));
  }
  if (known.size > symbols.peek().length) symbols.value = [...known].sort();
}

/** Whether figures of a kind are older than twice their cadence; what comes in takes up to three seconds on its way. */
export const isOld = (figure: Figure): boolean => {
  const seen = piece('seen').value?.[figure];
  const speed = health.value?.speed ?? 1;
  return seen !== undefined && marketNow.value - seen.at > 2 * seen.every + 3_000 * speed;
};

const byId = new Map<string, AlertRow>();
/** Newest change first. */
export const alerts = signal<readonly AlertRow[]>([]);
/** Alerts a page holds, besides those that fire. */
const held = 400;

const newer = (a: AlertRow, b: AlertRow) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1);

function order(): void {
  const all = [...byId.values()].sort(newer);
  for (const { id, endsAt } of all.slice(held)) if (endsAt !== null) byId.delete(id);
  alerts.value = [...byId.values()].sort(newer);
}

/** The alerts as they are now, in place of all that the page knew before. */
export function hearAllAlerts(rows: readonly AlertRow[]): void {
  byId.clear();
  hearAlerts(rows);
}

export function hearAlerts(rows: readonly AlertRow[]): void {
  for (const row of rows) {
    const before = byId.get(row.id);
    if (before === undefined || before.revision <= row.revision) byId.set(row.id, row);
  }
  order();
}

export const firing = computed(() => alerts.value.filter(({ endsAt }) => endsAt === null));
