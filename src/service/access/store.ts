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
export type AccessStore = ReturnType<typeof accessStoreIn>;

/** Returns the store in the data service's database (archive/migrations.ts), over the same connection as the archive. */
export function accessStoreIn(database: Database<unknown>) {
  const { db, transaction } = database as Database<Tables>;
  return {
    /** Returns false if an account with that address exists. */
    async addAccount(account: Tables['accounts']): Promise<boolean> {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('accounts')
        .values(account)
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },
    /** Returns the stored hash. */
    passwordOf: async (email: string): Promise<string | undefined> =>
      (await db.selectFrom('accounts').select('password').where('email', '=', email).executeTakeFirst())
        ?.password,
    accounts: () => db.selectFrom('accounts').select(['email', 'createdAt']).orderBy('email').execute(),
    /** Removes an account, ends its sessions and revokes its keys. Returns false if there was no such account. */
    removeAccount: (email: string, now: number): Promise<boolean> =>
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

    /** Adds a session, and deletes the sessions that have expired by `now`. */
    async addSession(session: Session, now: number): Promise<void> {
      await db.deleteFrom('sessions').where('expiresAt', '<=', now).execute();
      await db.insertInto('sessions').values(session).execute();
    },
    // A session that was opened while its account was being removed is not valid.
    session: (id: string): Promise<Session | undefined> =>
      db
        .selectFrom('sessions')
        .innerJoin('accounts', 'accounts.email', 'sessions.email')
        .selectAll('sessions')
        .where('sessions.id', '=', id)
        .executeTakeFirst(),
    async endSession(id: string): Promise<void> {
      await db.deleteFrom('sessions').where('id', '=', id).execute();
    },

    /**
     * Adds a key. One with an owner is refused if that account is gone, has `maxOwnKeys` valid keys, or has one of that name: so a
     * form that is sent twice makes one key.
     */
    addKey: (key: ApiKey) => transaction((trx) => addKey(trx, key)),
    key: (id: string): Promise<ApiKey | undefined> =>
      db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst(),
    /** Returns all keys, or those of one account, oldest first, including revoked ones. */
    keys: (owner?: string): Promise<ApiKey[]> =>
      db
        .selectFrom('api_keys')
        .selectAll()
        .$if(owner !== undefined, (query) => query.where('owner', '=', owner ?? null))
        .orderBy('createdAt')
        .orderBy('id')
        .execute(),
    /** Returns false if there is no such key, it was already revoked, or it is not the owner's, where one is given. */
    async revokeKey(
      id: string,
      { now, owner }: { readonly now: number; readonly owner?: string },
    ): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('api_keys')
        .set({ revokedAt: now })
        .where('id', '=', id)
        .where('revokedAt', 'is', null)
        .$if(owner !== undefined, (query) => query.where('owner', '=', owner ?? null))
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    /** Adds requests to the stored numbers, and deletes the days before `since`. */
    addUsage: (rows: readonly UsageRow[], since: number): Promise<void> =>
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
    /** Returns the requests by key id, from the day `since` on. */
    async usage(since: number): Promise<ReadonlyMap<string, number>> {
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

async function addKey(
  trx: Transaction<Tables>,
  key: ApiKey,
): Promise<'added' | 'no account' | 'too many' | 'name taken'> {
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
