import type { Kysely } from 'kysely';
import type { DetectorStates } from '../ports.ts';
import type { Tables } from '../tables.ts';

/** The stored states of detectors, and of other parts that store a state as detectors do. */
export const detectors = (db: Kysely<Tables>): DetectorStates => ({
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
});
