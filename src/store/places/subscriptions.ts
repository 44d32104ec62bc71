import {
  type DeleteQueryBuilder,
  type DeleteResult,
  type Insertable,
  type Kysely,
  type Selectable,
  sql,
} from 'kysely';
import { receiverKey, type Subscription } from '../../alert/subscription.ts';
import { watchlist } from '../../alert/symbols.ts';
import type { Database } from '../../database/database.ts';
import type { PlaceIds, RowId, SubscriptionStore, SubscriptionTotals } from '../ports.ts';
import { inPages, readable, subscriptionOf, subscriptionRow } from '../rows.ts';
import type { Tables } from '../tables.ts';
import { acquireMatcher, effectiveTexts, matcherKey, releaseMatchers } from './matchers.ts';
import { countOfAccount } from './own-things.ts';

type SubscriptionRow = Selectable<Tables['subscription']>;

export const subscriptions = (
  { db, transaction }: Pick<Database<Tables>, 'db' | 'transaction'>,
  { newId, accountOf }: PlaceIds,
): SubscriptionStore & SubscriptionTotals => ({
  async add(subscription) {
    const id = newId();
    await transaction((trx) =>
      insertSubscriptions(trx, [{ id, ...subscriptionRow(subscription, accountOf) }]),
    );
    return { ...subscription, id };
  },
  update: ({ id, ...subscription }) =>
    transaction(async (trx) => {
      const row = subscriptionRow(subscription, accountOf);
      const before = await removeSubscriptions(trx, (all) =>
        all.where('id', '=', id).where('receiver', '=', row.receiver),
      );
      await insertSubscriptions(
        trx,
        before.map((each) => ({ ...each, ...row })),
      );
      return before.length > 0;
    }),
  remove: (id, receiver) =>
    transaction(async (trx) => {
      const key = receiverKey(receiver);
      const removed = await removeSubscriptions(trx, (all) =>
        all.where('id', '=', id).where('receiver', '=', key),
      );
      return removed.length > 0;
    }),
  countOfAccount: (receiver) => countOfAccount(db, { table: 'subscription', account: accountOf(receiver) }),
  async of(receiver) {
    const rows = await db
      .selectFrom('subscription')
      .selectAll()
      .where('receiver', '=', receiverKey(receiver))
      .orderBy('created_at')
      .orderBy('seq')
      .execute();
    return rows.map((row) => subscriptionOf(row));
  },
  async symbols() {
    const rows = await db
      .selectFrom('matcher')
      .select(['symbols', 'wanted'])
      .where('symbols', '!=', '["*"]')
      .execute();
    const wanted = new Map<string, number>();
    for (const row of rows) {
      const [symbols = []] = readable([row.symbols], (text) => JSON.parse(text) as string[]);
      for (const symbol of symbols)
        if (symbol !== '*') wanted.set(symbol, (wanted.get(symbol) ?? 0) + row.wanted);
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

/**
 * Takes subscriptions out of the table, for good or to put them in again with changes. So their matchers are counted down
 * by the rows that were really there, whatever other transactions do meanwhile.
 */
export async function removeSubscriptions(
  trx: Kysely<Tables>,
  which: (
    all: DeleteQueryBuilder<Tables, 'subscription', DeleteResult>,
  ) => DeleteQueryBuilder<Tables, 'subscription', DeleteResult>,
): Promise<SubscriptionRow[]> {
  const rows = await which(trx.deleteFrom('subscription')).returningAll().execute();
  await releaseMatchers(
    trx,
    rows.flatMap(({ matcher }) => matcher ?? []),
  );
  return rows;
}

/**
 * Inserts subscriptions with their matchers. A dispatch under way may have passed the new matcher of a subscription and not
 * yet reached its old one, so a subscription that changes its matcher is marked (`moved`), and handled at the end.
 */
export async function insertSubscriptions(
  trx: Kysely<Tables>,
  rows: readonly Insertable<Tables['subscription']>[],
): Promise<void> {
  const textsByRow = new Map<(typeof rows)[number], Awaited<ReturnType<typeof effectiveTexts>>>();
  for (const row of rows) if (row.paused !== 1) textsByRow.set(row, await effectiveTexts(trx, row));
  const matchers = new Map<string, RowId>();
  // A fixed order, so that no two transactions that write the same rows wait for each other.
  const each = [...Map.groupBy(textsByRow.values(), matcherKey)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [key, [texts, ...more]] of each)
    if (texts !== undefined) matchers.set(key, await acquireMatcher(trx, { ...texts, by: more.length + 1 }));
  const completeRows = rows.map((row) => {
    const texts = textsByRow.get(row);
    const matcher = texts === undefined ? null : (matchers.get(matcherKey(texts)) ?? null);
    const moves = row.seq !== undefined && matcher !== row.matcher;
    return { ...row, matcher, moved: moves ? 1 : (row.moved ?? 0) };
  });
  for (const some of inPages(completeRows)) await trx.insertInto('subscription').values(some).execute();
}

/** Gives the subscriptions of a place that name its watchlist new matchers, because the watchlist has changed. */
export async function renewMatchers(trx: Kysely<Tables>, receiver: string): Promise<void> {
  const naming = await removeSubscriptions(trx, (all) =>
    all.where('receiver', '=', receiver).where('symbols', 'like', `%"${watchlist}"%`),
  );
  await insertSubscriptions(trx, naming);
}

/** Returns the active subscriptions of these receivers, with the symbols of a watchlist in its place. */
export async function activeSubscriptions(
  db: Kysely<Tables>,
  receivers: readonly string[],
): Promise<Subscription[]> {
  return activeIn(await activeQueryOf(db, receivers).execute());
}

export type ActiveRow = SubscriptionRow &
  Pick<Selectable<Tables['matcher']>, 'kinds' | 'symbols' | 'min_severity'>;

/** Returns the query for all active subscriptions, for `activeIn`. */
export const activeQuery = (db: Kysely<Tables>) =>
  db
    .selectFrom('subscription')
    .innerJoin('matcher', 'matcher.id', 'subscription.matcher')
    .selectAll('subscription')
    .select(['matcher.kinds', 'matcher.symbols', 'matcher.min_severity'])
    .orderBy('seq');

export const activeQueryOf = (db: Kysely<Tables>, receivers: readonly string[]) =>
  activeQuery(db).where('subscription.receiver', 'in', receivers);

export const activeIn = (rows: readonly ActiveRow[]): Subscription[] =>
  readable(rows, (row) => subscriptionOf(row));
