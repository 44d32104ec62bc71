import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { databaseNow } from '../../database/leases.ts';
import { LostRole } from '../../runtime/role.ts';
import type { Messages } from '../ports.ts';
import type { Tables } from '../tables.ts';
import { heldLease } from './leases.ts';

const microseconds = 1_000_000;

export const messages = ({ db, dialect }: Database<Tables>): Messages => ({
  async put({ id, room, body, lease }) {
    const at = databaseNow(dialect, microseconds);
    const into = db
      .insertInto('message')
      .onConflict((conflict) => conflict.columns(['room', 'id']).doUpdateSet({ body }));
    if (lease === undefined) {
      await into.values({ id, room, body, at }).execute();
      return;
    }
    // One statement checks the lease and stores the message, because a transaction takes several times as long.
    const columns = ['id', 'room', 'body', 'at'] as const;
    const { numInsertedOrUpdatedRows } = await into
      .columns(columns)
      .expression(
        heldLease(db, { ...lease, dialect }).select([
          sql<string>`${id}`.as('id'),
          sql<string>`${room}`.as('room'),
          sql<string>`${body}`.as('body'),
          at.as('at'),
        ]),
      )
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows !== 1n) throw new LostRole(lease.role);
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
