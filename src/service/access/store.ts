import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Recognised } from '../../runtime/credential.ts';

/** Times are wall ms. */
interface Tables {
  accounts: { email: string; password: string; createdAt: number };
  api_keys: {
    id: string;
    digest: string;
    name: string;
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

interface ApiKey extends Recognised {
  /** What the key is for, in its owner's words. */
  readonly name: string;
  /** Requests allowed per window; null: the configured limit. */
  readonly requestLimit: number | null;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

interface Session extends Recognised {
  readonly email: string;
  readonly expiresAt: number;
}

/** The store of everything that gives access: accounts, their sessions, and API keys. */
export interface AccessStore {
  /** Returns false if an account with that address exists. */
  addAccount(account: { email: string; password: string; createdAt: number }): Promise<boolean>;
  /** Returns the stored hash. */
  passwordOf(email: string): Promise<string | undefined>;
  accounts(): Promise<{ readonly email: string; readonly createdAt: number }[]>;
  /** Removes an account and its sessions. Returns false if there was no such account. */
  removeAccount(email: string): Promise<boolean>;

  /** Adds a session, and deletes the sessions that have expired by `now`. */
  addSession(session: Session, now: number): Promise<void>;
  session(id: string): Promise<Session | undefined>;

  addKey(key: ApiKey): Promise<void>;
  key(id: string): Promise<ApiKey | undefined>;
  /** Returns all keys, oldest first, including revoked ones. */
  keys(): Promise<ApiKey[]>;
  /** Returns false if there is no such key, or it was already revoked. */
  revokeKey(id: string, now: number): Promise<boolean>;

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
    removeAccount: (email) =>
      transaction(async (trx) => {
        await trx.deleteFrom('sessions').where('email', '=', email).execute();
        const { numDeletedRows } = await trx
          .deleteFrom('accounts')
          .where('email', '=', email)
          .executeTakeFirst();
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

    async addKey(key) {
      await db.insertInto('api_keys').values(key).execute();
    },
    key: (id) => db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst(),
    keys: () => db.selectFrom('api_keys').selectAll().orderBy('createdAt').orderBy('id').execute(),
    async revokeKey(id, now) {
      const { numUpdatedRows } = await db
        .updateTable('api_keys')
        .set({ revokedAt: now })
        .where('id', '=', id)
        .where('revokedAt', 'is', null)
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
