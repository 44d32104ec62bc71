import type { Database } from '../database/database.ts';
import { databaseNow } from '../database/leases.ts';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

const microseconds = 1_000_000;

/** The web console's conversation. */
export const messages = ({ db, dialect }: Database<Tables>): Store['messages'] => ({
  async put({ id, room, body }) {
    await db
      .insertInto('message')
      .values({ id, room, body, at: databaseNow(dialect, microseconds) })
      .onConflict((conflict) => conflict.columns(['room', 'id']).doUpdateSet({ body }))
      .execute();
  },
  async read(id, room) {
    const row = await db
      .selectFrom('message')
      .select('body')
      .where('room', '=', room)
      .where('id', '=', id)
      .executeTakeFirst();
    return row?.body;
  },
  async recent(room, limit) {
    const rows = await db
      .selectFrom('message')
      .select(['id', 'body'])
      .where('room', '=', room)
      .orderBy('at', 'desc')
      .orderBy('seq', 'desc')
      .limit(limit)
      .execute();
    return rows.reverse();
  },
});
