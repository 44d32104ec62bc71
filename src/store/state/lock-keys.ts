import { type Kysely, sql } from 'kysely';
import { inPages } from '../rows.ts';
import type { Tables } from '../tables.ts';

/**
 * Locks accounts, or what else has a key, until the transaction ends. On Postgres, where transactions run side by side, the row of a key lets
 * one of them through at a time. Several rows are locked in a fixed order, so that no two transactions wait for each other.
 */
export async function lockKeys(trx: Kysely<Tables>, ...keys: readonly string[]): Promise<void> {
  const rows = [...new Set(keys)].sort().map((key) => ({ key }));
  for (const some of inPages(rows))
    await trx
      .insertInto('account')
      .values(some)
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ key: sql`excluded.key` }))
      .execute();
}
