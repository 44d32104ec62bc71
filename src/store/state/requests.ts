import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Requests } from '../ports.ts';
import type { Tables } from '../tables.ts';
import { lockKeys } from './lock-keys.ts';

/** Requests sent to the data service, for its budget, by all processes on the database together. */
export const requests = ({ db, dialect, transaction }: Database<Tables>): Requests => ({
  shared: dialect === 'postgres',
  async load(key, since) {
    const rows = await db
      .selectFrom('request')
      .select('at')
      .where('key', '=', key)
      .where('at', '>', since)
      .orderBy('at')
      .execute();
    return rows.map(({ at }) => at);
  },
  take: (key, { at, since, until, most }) =>
    transaction(async (trx) => {
      // Without this lock two processes that count at the same time would both pass. An SQLite file belongs to one process,
      // whose transactions run one after another.
      if (dialect === 'postgres') await lockKeys(trx, `requests ${key}`);
      await trx.deleteFrom('request').where('key', '=', key).where('at', '>', until).execute();
      const { numAffectedRows = 0n } = await sql`insert into request (key, at)
        select cast(${key} as text), cast(${at} as bigint)
        where (select count(*) from request where key = ${key} and at > ${since}) < ${most}`.execute(trx);
      return numAffectedRows > 0n;
    }),
  giveBack: (key, at) =>
    transaction(async (trx) => {
      if (dialect === 'postgres') await lockKeys(trx, `requests ${key}`);
      const { numDeletedRows } = await trx
        .deleteFrom('request')
        .where('key', '=', key)
        .where('at', '=', at)
        .executeTakeFirstOrThrow();
      // Rows have no id: of several with the same time all are deleted, and the others are inserted again.
      const others = Array.from({ length: Number(numDeletedRows) - 1 }, () => ({ key, at }));
      if (others.length > 0) await trx.insertInto('request').values(others).execute();
    }),
});
