import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { databaseNow } from '../../database/leases.ts';
import { tableNames } from '../../database/upgrade.ts';
import type { Tables } from '../tables.ts';

/**
 * Marks all that waits, in the outbox or on its way there, as possibly sent. The database is a copy of a backup, and a bot
 * that went on after the backup may have sent it: it is treated as a post that a killed process had begun. Members may have
 * signed out since, so they sign in again. Returns how many posts in the outbox, and alerts that are still to be handed on, were
 * not in doubt before.
 */
export const markAllInDoubt = ({ transaction }: Database<Tables>) =>
  transaction(async (trx) => {
    const { alerts } = await trx
      .selectFrom('dispatch')
      .select(sql<number>`count(distinct alert_id)`.as('alerts'))
      .where('doubtful', '=', 0)
      .executeTakeFirstOrThrow();
    await trx.updateTable('dispatch').set({ doubtful: 1 }).execute();
    await trx.deleteFrom('web_session').execute();
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
    return { posts: Number(posts), alerts: Number(alerts) };
  });

/**
 * Returns the holder of a role, if there is one: a database that several processes share is then in use. The tables may be
 * those of an older version, or none.
 */
export async function inUseBy({ db, dialect }: Database<Tables>): Promise<string | undefined> {
  if (!(await tableNames({ db, dialect })).includes('lease')) return undefined;
  const row = await db
    .selectFrom('lease')
    .select('owner')
    .where('until', '>', databaseNow(dialect))
    .limit(1)
    .executeTakeFirst();
  return row?.owner;
}
