import type { Kysely } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { DetectorStates } from '../ports.ts';
import type { Tables } from '../tables.ts';
import { voidLeases } from './leases.ts';
import { lockKeys } from './lock-keys.ts';

/** The stored states of detectors, and of other parts that store a state as detectors do. */
export const detectors = ({ db, transaction }: Database<Tables>): DetectorStates => ({
  async state(name) {
    const row = await db.selectFrom('detector').select('state').where('name', '=', name).executeTakeFirst();
    return row === undefined ? undefined : JSON.parse(row.state);
  },
  async since(name, at) {
    const row = await db
      .selectFrom('detector')
      .select(['state', 'updated_at'])
      .where('name', '=', name)
      .$if(at !== undefined, (query) => query.where('updated_at', '<>', at ?? 0))
      .executeTakeFirst();
    return row === undefined ? undefined : { state: JSON.parse(row.state), at: row.updated_at };
  },
  remake: (prefix, make) =>
    transaction(async (trx) => {
      // Without this lock two processes that start at the same time would both replace the states.
      await lockKeys(trx, `states ${prefix}`);
      if (make(await statesIn(trx, prefix)) === undefined) return;
      // This waits for transactions under these leases; what they have written is read below.
      await voidLeases(trx, prefix);
      const made = make(await statesIn(trx, prefix));
      if (made === undefined) return;
      await trx.deleteFrom('detector').where('name', 'like', `${prefix}%`).execute();
      const rows = [...made].map(([name, state]) => ({ name, state: JSON.stringify(state), updated_at: 0 }));
      if (rows.length > 0) await trx.insertInto('detector').values(rows).execute();
    }),
});

async function statesIn(db: Kysely<Tables>, prefix: string): Promise<ReadonlyMap<string, unknown>> {
  const rows = await db
    .selectFrom('detector')
    .select(['name', 'state'])
    .where('name', 'like', `${prefix}%`)
    .execute();
  return new Map(rows.map(({ name, state }) => [name, JSON.parse(state) as unknown]));
}
