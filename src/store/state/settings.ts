import { type Kysely, sql } from 'kysely';
import type { SealedConnections, Settings } from '../ports.ts';
import type { Tables } from '../tables.ts';

/** Name of the setting that says who paused all sending, and when. It exists only while sending is paused. */
export const pauseSetting = 'sending paused';

/** The condition that no operator has paused all sending. */
export const isNotPaused = sql<boolean>`not exists (select 1 from setting where setting.name = ${pauseSetting})`;

export const settings = (db: Kysely<Tables>): Settings => ({
  get: async (name) => (await rowOf(db, name).executeTakeFirst())?.value,
  async keep(name, value) {
    await db
      .insertInto('setting')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    return (await rowOf(db, name).executeTakeFirstOrThrow()).value;
  },
  async put(name, value) {
    await db
      .insertInto('setting')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute();
  },
});

const rowOf = (db: Kysely<Tables>, name: string) =>
  db.selectFrom('setting').select('value').where('name', '=', name);

export const connections = (db: Kysely<Tables>): SealedConnections => ({
  async all() {
    const rows = await db.selectFrom('connection').selectAll().execute();
    return Object.fromEntries(rows.map(({ platform, sealed }) => [platform, sealed]));
  },
  async put(platform, sealed) {
    if (sealed === undefined) await db.deleteFrom('connection').where('platform', '=', platform).execute();
    else
      await db
        .insertInto('connection')
        .values({ platform, sealed })
        .onConflict((conflict) => conflict.column('platform').doUpdateSet({ sealed }))
        .execute();
  },
});
