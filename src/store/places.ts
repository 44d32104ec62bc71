import { type Kysely, sql } from 'kysely';
import { receiverKey } from '../alert/subscription.ts';
import { receiverColumns, silenceOf, subscriptionOf } from './rows.ts';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

/** What belongs to a receiver: its subscriptions and its silences. */
export const places = (
  db: Kysely<Tables>,
  newId: () => string,
): Pick<Store, 'subscriptions' | 'silences'> => ({
  subscriptions: {
    async add(subscription) {
      const id = newId();
      await db
        .insertInto('subscription')
        .values({
          id,
          ...receiverColumns(subscription.receiver),
          kinds: JSON.stringify(subscription.kinds),
          symbols: JSON.stringify(subscription.symbols),
          min_severity: subscription.minSeverity,
          quiet_hours: subscription.quietHours === null ? null : JSON.stringify(subscription.quietHours),
          created_by: subscription.createdBy,
          created_at: subscription.createdAt,
        })
        .execute();
      return { ...subscription, id };
    },
    async remove(id, receiver) {
      const { numDeletedRows } = await db
        .deleteFrom('subscription')
        .where('id', '=', id)
        .where('receiver', '=', receiverKey(receiver))
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async of(receiver) {
      const rows = await db
        .selectFrom('subscription')
        .selectAll()
        .where('receiver', '=', receiverKey(receiver))
        .orderBy('seq')
        .execute();
      return rows.map(subscriptionOf);
    },
    async symbols() {
      const rows = await db
        .selectFrom('subscription')
        .select(['symbols', sql<number>`count(*)`.as('wanted')])
        .where('symbols', '!=', '["*"]')
        .groupBy('symbols')
        .execute();
      const wanted = new Map<string, number>();
      for (const row of rows) {
        for (const symbol of JSON.parse(row.symbols) as string[]) {
          if (symbol !== '*') wanted.set(symbol, (wanted.get(symbol) ?? 0) + Number(row.wanted));
        }
      }
      return [...wanted].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([symbol]) => symbol);
    },
    async count() {
      const { count } = await db
        .selectFrom('subscription')
        .select(sql<number>`count(*)`.as('count'))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
  },
  silences: {
    async add(silence) {
      const id = newId();
      const place =
        silence.receiver === null
          ? { receiver: null, notifier: null, address: null }
          : receiverColumns(silence.receiver);
      await db
        .insertInto('silence')
        .values({
          id,
          ...place,
          kinds: JSON.stringify(silence.kinds),
          symbols: JSON.stringify(silence.symbols),
          starts_at: silence.startsAt,
          ends_at: silence.endsAt,
          created_by: silence.createdBy,
        })
        .execute();
      return { ...silence, id };
    },
    async remove(id, receiver) {
      const { numDeletedRows } = await db
        .deleteFrom('silence')
        .where('id', '=', id)
        .where('receiver', '=', receiverKey(receiver))
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async of(receiver, now) {
      const rows = await db
        .selectFrom('silence')
        .selectAll()
        .where('ends_at', '>', now)
        .where((or) => or.or([or('receiver', '=', receiverKey(receiver)), or('receiver', 'is', null)]))
        .orderBy('starts_at')
        .execute();
      return rows.map(silenceOf);
    },
  },
});
