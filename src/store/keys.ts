import type { Kysely } from 'kysely';
import type { Receiver } from '../alert/subscription.ts';
import { receiverColumns, receiverOf } from './rows.ts';
import type { Tables } from './tables.ts';

/** What is stored of a key of the bot's HTTP API. Times are wall ms. */
export interface BotKey {
  readonly id: string;
  readonly digest: string;
  /** What the key is for, in the words of the person who created it. */
  readonly name: string;
  readonly scopes: readonly string[];
  /** The place that the key belongs to. The key gives access to what this place may see and do, and to nothing else. */
  readonly receiver: Receiver;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

interface UsedKey extends BotKey {
  readonly requests: number;
  /** Null: it was never used. */
  readonly usedAt: number | null;
}

export interface KeyStore {
  add(key: BotKey): Promise<void>;
  find(id: string): Promise<BotKey | undefined>;
  /** Oldest first, revoked ones included. */
  all(): Promise<UsedKey[]>;
  /** Returns false if there is no such key or it was revoked before. */
  revoke(id: string, at: number): Promise<boolean>;
  /** Counts one more request. */
  countUse(id: string, at: number): Promise<void>;
}

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
