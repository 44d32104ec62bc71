import { sql, type Transaction } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Recognised } from '../../runtime/credential.ts';

/** Times are wall ms. */
interface Tables {
  accounts: { email: string; password: string; createdAt: number };
  api_keys: {
    id: string;
    digest: string;
    name: string;
    owner: string | null;
    requestLimit: number | null;
    createdAt: number;
    revokedAt: number | null;
  };
  sessions: { id: string; digest: string; email: string; expiresAt: number };
  key_usage: UsageRow;
}

/** Requests made with a key on one day: `day` is its first wall ms, UTC. */
interface UsageRow {
  readonly id: string;
  readonly day: number;
  readonly requests: number;
}

export interface ApiKey extends Recognised {
  /** What the key is for, in its owner's words. */
  readonly name: string;
  /** The account that made the key and may revoke it; null: the operator, at the shell. */
  readonly owner: string | null;
  /** Requests allowed per window; null: the configured limit. */
  readonly requestLimit: number | null;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

interface Session extends Recognised {
  readonly email: string;
  readonly expiresAt: number;
}

/** The most valid keys of one account. */
export const maxOwnKeys = 20;

/** The store of everything that gives access: accounts, their sessions, and API keys. */
export interface AccessStore {
  /** Returns false if an account with that address exists. */
  addAccount(account: { email: string; password: string; createdAt: number }): Promise<boolean>;
  /** Returns the stored hash. */
  passwordOf(email: string): Promise<string | undefined>;
  accounts(): Promise<{ readonly email: string; readonly createdAt: number }[]>;
  /** Removes an account, ends its sessions and revokes its keys. Returns false if there was no such account. */
  removeAccount(email: string, now: number): Promise<boolean>;

  /** Adds a session, and deletes the sessions that have expired by `now`. */
  addSession(session: Session, now: number): Promise<void>;
  session(id: string): Promise<Session | undefined>;
  endSession(id: string): Promise<void>;

  /**
   * Adds a key. One with an owner is refused if that account is gone, has `maxOwnKeys` valid keys, or has one of that name: so a
   * form that is sent twice makes one key.
   */
  addKey(key: ApiKey): Promise<'added' | 'no account' | 'too many' | 'name taken'>;
  key(id: string): Promise<ApiKey | undefined>;
  /** Returns all keys, or those of one account, oldest first, including revoked ones. */
  keys(owner?: string): Promise<ApiKey[]>;
  /** Returns false if there is no such key, it was already revoked, or it is not the owner's, where one is given. */
  revokeKey(id: string, given: { readonly now: number; readonly owner?: string }): Promise<boolean>;

  /** Adds requests to the stored numbers, and deletes the days before `since`. */
  addUsage(rows: readonly UsageRow[], since: number): Promise<void>;
  /** Returns the requests by key id, from the day `since` on. */
  usage(since: number): Promise<ReadonlyMap<string, number>>;
}

/** Returns the store in the data service's database (archive/migrations.ts), over the same connection as the archive. */
export function accessStoreIn(database: Database<unknown>): AccessStore {
  const { db, transaction } = database as Database<Tables>;
  return {
    async addAccount(account) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('accounts')
        .values(account)
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },
    passwordOf: async (email) =>
      (await db.selectFrom('accounts').select('password').where('email', '=', email).executeTakeFirst())
        ?.password,
    accounts: () => db.selectFrom('accounts').select(['email', 'createdAt']).orderBy('email').execute(),
    removeAccount: (email, now) =>
      transaction(async (trx) => {
        // First the account: a key that is being added holds its row, and is then revoked below.
        const { numDeletedRows } = await trx
          .deleteFrom('accounts')
          .where('email', '=', email)
          .executeTakeFirst();
        await trx.deleteFrom('sessions').where('email', '=', email).execute();
        await trx
          .updateTable('api_keys')
          .set({ revokedAt: now })
          .where('owner', '=', email)
          .where('revokedAt', 'is', null)
          .execute();
        return numDeletedRows === 1n;
      }),

    async addSession(session, now) {
      await db.deleteFrom('sessions').where('expiresAt', '<=', now).execute();
      await db.insertInto('sessions').values(session).execute();
    },
    // A session that was opened while its account was being removed is not valid.
    session: (id) =>
      db
        .selectFrom('sessions')
        .innerJoin('accounts', 'accounts.email', 'sessions.email')
        .selectAll('sessions')
        .where('sessions.id', '=', id)
        .executeTakeFirst(),
    async endSession(id) {
      await db.deleteFrom('sessions').where('id', '=', id).execute();
    },

    addKey: (key) => transaction((trx) => addKey(trx, key)),
    key: (id) => db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst(),
    keys: (owner) =>
      db
        .selectFrom('api_keys')
        .selectAll()
        .$if(owner !== undefined, (query) => query.where('owner', '=', owner ?? null))
        .orderBy('createdAt')
        .orderBy('id')
        .execute(),
    async revokeKey(id, { now, owner }) {
      const { numUpdatedRows } = await db
        .updateTable('api_keys')
        .set({ revokedAt: now })
        .where('id', '=', id)
        .where('revokedAt', 'is', null)
        .$if(owner !== undefined, (query) => query.where('owner', '=', owner ?? null))
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    addUsage: (rows, since) =>
      transaction(async (trx) => {
        await trx
          .insertInto('key_usage')
          .values(rows)
          .onConflict((conflict) =>
            conflict
              .columns(['id', 'day'])
              .doUpdateSet({ requests: sql`key_usage.requests + excluded.requests` }),
          )
          .execute();
        await trx.deleteFrom('key_usage').where('day', '<', since).execute();
      }),
    async usage(since) {
      const rows = await db
        .selectFrom('key_usage')
        .select(['id', sql<number>`sum(requests)`.as('requests')])
        .where('day', '>=', since)
        .groupBy('id')
        .execute();
      return new Map(rows.map(({ id, requests }) => [id, Number(requests)]));
    },
  };
}

async function addKey(trx: Transaction<Tables>, key: ApiKey): ReturnType<AccessStore['addKey']> {
  const { owner } = key;
  if (owner !== null) {
    // Locks the account's row, so that keys of one account are added one after the other.
    const { numUpdatedRows } = await trx
      .updateTable('accounts')
      .set({ email: owner })
      .where('email', '=', owner)
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) return 'no account';
    const valid = await trx
      .selectFrom('api_keys')
      .select('name')
      .where('owner', '=', owner)
      .where('revokedAt', 'is', null)
      .execute();
    if (valid.length >= maxOwnKeys) return 'too many';
    if (valid.some(({ name }) => name === key.name)) return 'name taken';
  }
  await trx.insertInto('api_keys').values(key).execute();
  return 'added';
}
