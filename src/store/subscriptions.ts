import { type Kysely, sql } from 'kysely';
import { receiverKey, type Subscription } from '../alert/subscription.ts';
import { countOfAccount, removeOwn, replaceOwn } from './own.ts';
import { effectiveOf, effectiveSymbols, readable, subscriptionOf, subscriptionRow } from './rows.ts';
import type { PlaceIds, Store } from './store.ts';
import type { Tables } from './tables.ts';

export const subscriptions = (
  db: Kysely<Tables>,
  { newId, accountOf }: PlaceIds,
): Store['subscriptions'] => ({
  async add(subscription) {
    const id = newId();
    await db
      .insertInto('subscription')
      .values({ id, ...subscriptionRow(subscription, accountOf) })
      .execute();
    return { ...subscription, id };
  },
  update: ({ id, ...subscription }) =>
    replaceOwn(db, { table: 'subscription', id, row: subscriptionRow(subscription, accountOf) }),
  remove: (id, receiver) => removeOwn(db, { table: 'subscription', id, receiver }),
  countOfAccount: (receiver) => countOfAccount(db, { table: 'subscription', account: accountOf(receiver) }),
  async of(receiver) {
    const rows = await db
      .selectFrom('subscription')
      .selectAll()
      .where('receiver', '=', receiverKey(receiver))
      .orderBy('created_at')
      .orderBy('seq')
      .execute();
    return rows.map(subscriptionOf);
  },
  async symbols() {
    const rows = await db
      .selectFrom('subscription')
      .leftJoin('watchlist', (join) =>
        join
          .onRef('watchlist.receiver', '=', 'subscription.receiver')
          .on('subscription.symbols', 'like', '%"watchlist"%'),
      )
      .select(['subscription.symbols', 'watchlist.symbols as followed', sql<number>`count(*)`.as('wanted')])
      .where('subscription.symbols', '!=', '["*"]')
      .where('paused', '=', 0)
      .groupBy(['subscription.symbols', 'watchlist.symbols'])
      .execute();
    const wanted = new Map<string, number>();
    const named = readable(rows, (row) => ({ symbols: effectiveSymbols(row), times: Number(row.wanted) }));
    for (const { symbols, times } of named) {
      for (const symbol of symbols) if (symbol !== '*') wanted.set(symbol, (wanted.get(symbol) ?? 0) + times);
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
});

/** The subscriptions of these receivers that are active. */
export async function effective(db: Kysely<Tables>, receivers: readonly string[]): Promise<Subscription[]> {
  const rows = await selectActive(db)
    .where('subscription.receiver', 'in', receivers)
    .orderBy('seq')
    .execute();
  return readable(rows, effectiveOf);
}

/** Subscriptions that are not paused, each with what its place follows. */
export const selectActive = (db: Kysely<Tables>) =>
  db
    .selectFrom('subscription')
    .leftJoin('watchlist', 'watchlist.receiver', 'subscription.receiver')
    .selectAll('subscription')
    .select('watchlist.symbols as followed')
    .where('subscription.paused', '=', 0);
