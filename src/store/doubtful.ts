import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { clock } from '../database/leases.ts';
import type { Tables } from './tables.ts';

/**
 * All that waits, in the outbox or on its way there, may have been sent since by whoever went on from what is a backup
 * here: it is treated as a post that a killed process had begun. Returns how many posts there are in the outbox that
 * were not in doubt before.
 */
export const doubtAll = ({ transaction }: Database<Tables>): Promise<number> =>
  transaction(async (trx) => {
    await trx.updateTable('dispatch').set({ doubtful: 1 }).execute();
    const waiting = trx
      .selectFrom('outbox')
      .select(['receiver', 'group_key'])
      .where('replaced', 'is', null)
      .groupBy(['receiver', 'group_key'])
      .having(sql<boolean>`max(doubtful) = 0`);
    const { posts } = await trx
      .selectFrom(waiting.as('waiting'))
      .select(sql<number>`count(*)`.as('posts'))
      .executeTakeFirstOrThrow();
    await trx.updateTable('outbox').set({ doubtful: 1 }).where('replaced', 'is', null).execute();
    return Number(posts);
  });

/** Who has a role on a database that several processes share: it is in use. */
export async function inUseBy({ db, dialect }: Database<Tables>): Promise<string | undefined> {
  const row = await db
    .selectFrom('lease')
    .select('owner')
    .where('until', '>', clock(dialect))
    .limit(1)
    .executeTakeFirst();
  return row?.owner;
}
