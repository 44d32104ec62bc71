import type { Alert } from '#src/alert/alert.ts';
import { type Receiver, receiverKey, type Silence, type Subscription } from '#src/alert/subscription.ts';
import type { CommandStore, Delivery } from '#src/store/store.ts';

export interface MemoryStore extends CommandStore {
  /** Everything kept, of every receiver. */
  readonly kept: {
    readonly subscriptions: Subscription[];
    readonly silences: Silence[];
    readonly alerts: Alert[];
    readonly deliveries: Delivery[];
  };
}

/** What commands read and write, in arrays: `alerts` and `deliveries` newest first. */
export function memoryStore(given: Partial<MemoryStore['kept']> = {}): MemoryStore {
  const kept = { subscriptions: [], silences: [], alerts: [], deliveries: [], ...given };
  let ids = 0;
  const same = (a: Receiver | null, b: Receiver) => a !== null && receiverKey(a) === receiverKey(b);
  const add = <Kept extends { readonly id: string }>(list: Kept[], row: Omit<Kept, 'id'>): Kept => {
    ids += 1;
    const added = { ...row, id: `m${ids}` } as Kept;
    list.push(added);
    return added;
  };
  const remove = (
    list: { readonly id: string; readonly receiver: Receiver | null }[],
    id: string,
    receiver: Receiver,
  ) => {
    const index = list.findIndex((row) => row.id === id && same(row.receiver, receiver));
    if (index >= 0) list.splice(index, 1);
    return index >= 0;
  };
  return {
    kept,
    subscriptions: {
      add: async (row) => add<Subscription>(kept.subscriptions, row),
      remove: async (id, receiver) => remove(kept.subscriptions, id, receiver),
      of: async (receiver) => kept.subscriptions.filter((row: Subscription) => same(row.receiver, receiver)),
    },
    silences: {
      add: async (row) => add<Silence>(kept.silences, row),
      remove: async (id, receiver) => remove(kept.silences, id, receiver),
      of: async (receiver, now) =>
        kept.silences.filter(
          (row: Silence) => (row.receiver === null || same(row.receiver, receiver)) && row.endsAt > now,
        ),
    },
    alerts: {
      firing: async () => kept.alerts.filter((alert: Alert) => alert.status !== 'resolved'),
      recent: async (limit) => kept.alerts.slice(0, limit),
      heldBack: async () => [],
    },
    deliveries: {
      recent: async (receiver, limit) =>
        kept.deliveries.filter((row: Delivery) => same(row.receiver, receiver)).slice(0, limit),
      waiting: async () => [],
    },
  };
}
