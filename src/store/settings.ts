import type { Kysely } from 'kysely';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

/** Small values, stored by name. */
export const settings = (db: Kysely<Tables>): Store['settings'] => ({
  async get(name) {
    const row = await db.selectFrom('setting').select('value').where('name', '=', name).executeTakeFirst();
    return row?.value;
  },
  async put(name, value) {
    await db
      .insertInto('setting')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute();
  },
});
