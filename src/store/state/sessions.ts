import type { Kysely } from 'kysely';
import { minute } from '../../runtime/units.ts';
import type { SessionStore } from '../ports.ts';
import type { Tables } from '../tables.ts';

/** Wall ms for which the secret before the present one is taken. */
const overlap = minute;

export const sessions = (db: Kysely<Tables>): SessionStore => ({
  async begin({ proof, digest, person, name, renewedAt, until }) {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('web_session')
      .values({ proof, digest, person, name, renewed_wall: renewedAt, until_wall: until })
      .onConflict((conflict) => conflict.column('proof').doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  },
  async find(digest, now) {
    const row = await db
      .selectFrom('web_session')
      .select(['proof', 'person', 'name', 'renewed_wall as renewedAt'])
      .where('until_wall', '>', now)
      .where((is) =>
        is.or([
          is('digest', '=', digest),
          is.and([is('previous', '=', digest), is('renewed_wall', '>', now - overlap)]),
        ]),
      )
      .executeTakeFirst();
    return row;
  },
  async lasts(proof, now) {
    const row = await db
      .selectFrom('web_session')
      .select('proof')
      .where('proof', '=', proof)
      .where('until_wall', '>', now)
      .executeTakeFirst();
    return row !== undefined;
  },
  async renew(digest, { next, at }) {
    const { numUpdatedRows } = await db
      .updateTable('web_session')
      .set({ digest: next, previous: digest, renewed_wall: at })
      .where('digest', '=', digest)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  },
  async end(proof, at) {
    await db.updateTable('web_session').set({ until_wall: at }).where('proof', '=', proof).execute();
  },
});
