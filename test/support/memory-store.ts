import type { Alert } from '#src/alert/alert.ts';
import type { PriceCall } from '#src/alert/call.ts';
import type { Hook } from '#src/alert/hook.ts';
import type { LivingBoard } from '#src/alert/living-board.ts';
import type { Rule } from '#src/alert/rule.ts';
import { type Receiver, receiverKey, type Silence, type Subscription } from '#src/alert/subscription.ts';
import type { Received } from '#src/hook/inbox.ts';
import type { SeenBody } from '#src/hook/seen-body.ts';
import type { Preferences } from '#src/language/preferences.ts';
import type {
  Audit,
  Chooser,
  CommandStore,
  Delivery,
  Downtime,
  Pause,
  PlaceStore,
} from '#src/store/ports.ts';
import { addresses } from '#test/support/addresses.ts';

export interface MemoryStore extends CommandStore {
  /** All stored data, of all receivers. */
  readonly kept: Kept;
}

interface Kept {
  readonly subscriptions: Subscription[];
  readonly silences: Silence[];
  readonly rules: Rule[];
  readonly hooks: Hook[];
  readonly boards: LivingBoard[];
  readonly calls: PriceCall[];
  /** What `hook test` received. */
  readonly brought: Received[];
  /** The last bodies of each hook. */
  readonly seen: Map<string, readonly SeenBody[]>;
  readonly alerts: Alert[];
  readonly deliveries: Delivery[];
  readonly audit: (Audit & { readonly receiver: Receiver; readonly person: string | null })[];
  /** Watchlists by receiver key. */
  readonly watchlists: Map<string, readonly string[]>;
  /** The configuration files that define watchlists, by receiver key. */
  readonly listFiles: Map<string, string>;
  /** Preferences by the key of a receiver or a person. */
  readonly preferences: Map<string, Preferences>;
  readonly downtimes: Downtime[];
}

/** A store in memory for commands; `alerts` and `deliveries` are newest first. Nothing is rolled back. */
export function memoryStore(given: Partial<Kept> = {}): MemoryStore {
  const kept: Kept = {
    subscriptions: [],
    silences: [],
    rules: [],
    hooks: [],
    boards: [],
    calls: [],
    brought: [],
    seen: new Map(),
    alerts: [],
    deliveries: [],
    audit: [],
    watchlists: new Map(),
    listFiles: new Map(),
    preferences: new Map(),
    downtimes: [],
    ...given,
  };
  let ids = 0;
  let pause: Pause | null = null;
  const chooserKey = (whose: Chooser) => (typeof whose === 'string' ? whose : receiverKey(whose));
  const same = (a: Receiver | null, b: Receiver) => a !== null && receiverKey(a) === receiverKey(b);
  const add = <Row extends { readonly id: string }>(list: Row[], row: Omit<Row, 'id'>): Row => {
    ids += 1;
    const added = { ...row, id: `m${ids}` } as Row;
    list.push(added);
    return added;
  };
  const drop = <Row>(list: Row[], which: (row: Row) => boolean): number => {
    const left = list.filter((row) => !which(row));
    const dropped = list.length - left.length;
    list.splice(0, list.length, ...left);
    return dropped;
  };
  const remove = (list: { id: string; receiver: Receiver | null }[], id: string, receiver: Receiver) =>
    drop(list, (row) => row.id === id && same(row.receiver, receiver)) > 0;

  const own = <Row extends Subscription | Rule | Hook | LivingBoard>(list: Row[]) => ({
    add: async (row: Omit<Row, 'id'>) => add(list, row),
    async update(changed: Row) {
      const index = list.findIndex(
        ({ id, receiver }) => id === changed.id && same(receiver, changed.receiver),
      );
      if (index >= 0) list[index] = changed;
      return index >= 0;
    },
    remove: async (id: string, receiver: Receiver) => remove(list, id, receiver),
    of: async (receiver: Receiver) => list.filter((row) => same(row.receiver, receiver)),
    countOfAccount: async (receiver: Receiver) =>
      list.filter(
        (row) =>
          !('file' in row && row.file !== undefined) &&
          addresses.accountOf(row.receiver) === addresses.accountOf(receiver),
      ).length,
  });

  const places: PlaceStore = {
    subscriptions: own(kept.subscriptions),
    silences: {
      add: async (row) => add<Silence>(kept.silences, row),
      remove: async (id, receiver) => remove(kept.silences, id, receiver),
      of: async (receiver, now) =>
        kept.silences.filter((row) => same(row.receiver, receiver) && row.endsAt > now),
    },
    rules: own(kept.rules),
    hooks: {
      ...own(kept.hooks),
      async accept(received) {
        kept.brought.push(received);
        return 'kept';
      },
      recent: async (id) => [...(kept.seen.get(id) ?? [])],
    },
    boards: {
      ...own<LivingBoard>(kept.boards),
      end: async (id, receiver) => remove(kept.boards, id, receiver),
    },
    calls: {
      add: async (row) => add<PriceCall>(kept.calls, row),
      of: async (receiver, since = 0) =>
        kept.calls.filter((row) => same(row.receiver, receiver) && row.at >= since),
    },
    watchlist: {
      of: async (receiver) => [...(kept.watchlists.get(receiverKey(receiver)) ?? [])],
      fileOf: async (receiver) => kept.listFiles.get(receiverKey(receiver)),
      set: async (receiver, symbols) => void kept.watchlists.set(receiverKey(receiver), symbols),
    },
    preferences: {
      of: async (whose) => kept.preferences.get(chooserKey(whose)) ?? {},
      set: async (whose, chosen) => void kept.preferences.set(chooserKey(whose), chosen),
    },
    sending: {
      paused: async () => pause,
      pause: async (given) => {
        pause = given;
      },
      resume: async () => {
        pause = null;
      },
    },
  };
  return {
    kept,
    ...places,
    change: (author, work) => work(places, (what) => void kept.audit.unshift({ ...author, what })),
    audit: {
      of: async (receiver, limit) => kept.audit.filter((row) => same(row.receiver, receiver)).slice(0, limit),
    },
    forgetPlace: async (receiver) => ({
      subscription: drop(kept.subscriptions, (row) => same(row.receiver, receiver)),
      silence: drop(kept.silences, (row) => same(row.receiver, receiver)),
      hook: drop(kept.hooks, (row) => same(row.receiver, receiver)),
      rule: drop(kept.rules, (row) => same(row.receiver, receiver)),
      watchlist: kept.watchlists.delete(receiverKey(receiver)) ? 1 : 0,
      preferences: kept.preferences.delete(receiverKey(receiver)) ? 1 : 0,
      delivery: drop(kept.deliveries, (row) => same(row.receiver, receiver)),
      audit: drop(kept.audit, (row) => same(row.receiver, receiver)),
    }),
    forgetPerson: async ({ who, person }) =>
      drop(kept.audit, (row) => (person === null ? row.who === who : row.person === person)),
    alerts: {
      firing: async (kinds) =>
        kept.alerts.filter(
          ({ status, labels }) => status !== 'resolved' && (kinds?.includes(labels.kind) ?? true),
        ),
      recent: async (limit) => kept.alerts.slice(0, limit),
      heldBack: async () => [],
    },
    deliveries: {
      recent: async (receiver, limit) =>
        kept.deliveries
          .filter((row) => same(row.receiver, receiver))
          .slice(0, limit)
          .map((row) => {
            const alert = kept.alerts.find(({ id }) => id === row.alertId);
            return { ...row, ...(alert !== undefined && { alert }) };
          }),
      missed: async (receiver, { since, limit }) =>
        kept.deliveries
          .filter(({ outcome }) => outcome === 'suppressed' || outcome === 'failed')
          .filter((row) => same(row.receiver, receiver) && row.at >= since)
          .slice(0, limit),
      waiting: async () => [],
    },
    downtimes: async () => kept.downtimes,
  };
}
