import { type Kysely, sql } from 'kysely';
import { watchlist } from '../alert/symbols.ts';
import { acquireMatcher, effectiveTexts, matcherKey } from './matchers.ts';
import type { RowId } from './store.ts';
import type { Tables } from './tables.ts';

/** Number of subscriptions read at once. */
const atOnce = 1_000;

const naming = `%"${watchlist}"%`;

/**
 * Gives every active subscription its matcher. Subscriptions that name a watchlist are handled one by one, all others by
 * statements over the whole table.
 */
export async function intern(db: Kysely<Tables>): Promise<void> {
  const plain = await db
    .selectFrom('subscription')
    .select(['kinds', 'symbols', 'min_severity', sql<number>`count(*)`.as('wanted')])
    .where('paused', '=', 0)
    .where('symbols', 'not like', naming)
    .groupBy(['kinds', 'symbols', 'min_severity'])
    .execute();
  for (const row of plain)
    await db
      .insertInto('matcher')
      .values({ ...row, key: matcherKey(row) })
      .execute();
  await sql`update subscription set matcher = matcher.id from matcher
    where subscription.paused = 0 and matcher.kinds = subscription.kinds and matcher.symbols = subscription.symbols
      and matcher.min_severity = subscription.min_severity`.execute(db);
  for (let after: RowId | undefined = 0; after !== undefined; ) {
    const page: { readonly seq: RowId }[] = await internAfter(db, after);
    after = page.at(-1)?.seq;
  }
}

async function internAfter(db: Kysely<Tables>, after: RowId): Promise<{ readonly seq: RowId }[]> {
  const rows = await db
    .selectFrom('subscription')
    .select(['seq', 'receiver', 'kinds', 'symbols', 'min_severity'])
    .where('paused', '=', 0)
    .where('symbols', 'like', naming)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(atOnce)
    .execute();
  for (const { seq, ...row } of rows) {
    const matcher = await acquireMatcher(db, await effectiveTexts(db, row));
    await db.updateTable('subscription').set({ matcher }).where('seq', '=', seq).execute();
  }
  return rows;
}
