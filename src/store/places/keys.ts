import type { Kysely } from 'kysely';
import type { BotKey, KeyStore } from '../ports.ts';
import { receiverColumns, receiverOf } from '../rows.ts';
import type { Tables } from '../tables.ts';

export const keys = (db: Kysely<Tables>): KeyStore => ({
  async add({ id, digest, name, scopes, receiver, createdAt, revokedAt }) {
    await db
      .insertInto('api_key')
      .values({
        id,
        digest,
        name,
        scopes: scopes.join(' '),
        ...receiverColumns(receiver),
        created_wall: createdAt,
        revoked_wall: revokedAt,
        used_wall: null,
      })
      .execute();
  },
  async find(id) {
    const row = await db.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirst();
    return row && keyOf(row);
  },
  async all() {
    const rows = await db.selectFrom('api_key').selectAll().orderBy('created_wall').orderBy('id').execute();
    return rows.map((row) => ({ ...keyOf(row), requests: row.requests, usedAt: row.used_wall }));
  },
  async revoke(id, at) {
    const { numUpdatedRows } = await db
      .updateTable('api_key')
      .set({ revoked_wall: at })
      .where('id', '=', id)
      .where('revoked_wall', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  },
  async countUse(id, at) {
    await db
      .updateTable('api_key')
      .set((row) => ({ requests: row('requests', '+', 1), used_wall: at }))
      .where('id', '=', id)
      .execute();
  },
});

const keyOf = (
  row: {
    readonly [Column in 'id' | 'digest' | 'name' | 'scopes' | 'notifier' | 'address']: string;
  } & { readonly created_wall: number; readonly revoked_wall: number | null },
): BotKey => ({
  id: row.id,
  digest: row.digest,
  name: row.name,
  scopes: row.scopes.split(' '),
  receiver: receiverOf(row),
  createdAt: row.created_wall,
  revokedAt: row.revoked_wall,
});
