import { sql } from 'kysely';
import type { ListedLeases } from '../runtime/role.ts';
import { second } from '../runtime/units.ts';
import type { Database, Dialect } from './database.ts';

export type LeaseTables = {
  /** Which process has a role: at most one of all processes. */
  lease: {
    role: string;
    owner: string;
    /** Rises each time the role is taken: a process with a lower token has lost the role. */
    token: number;
    /** By the database's clock, ms. */
    until: number;
  };
};

/** Returns the time by the database's clock, which all processes share: in ms, or in other `parts` of a second. */
export const databaseNow = (dialect: Dialect, parts: number = second) =>
  dialect === 'sqlite'
    ? sql<number>`cast(unixepoch('subsec') * ${sql.lit(parts)} as integer)`
    : sql<number>`cast(extract(epoch from clock_timestamp()) * ${sql.lit(parts)} as bigint)`;

/**
 * Stores leases of roles, each of which belongs to one process at a time. A SQLite file belongs to the process that opened
 * it last, so that process takes its roles at once, and another process has lost them.
 */
export const leasesIn = ({ db, dialect }: Pick<Database<LeaseTables>, 'db' | 'dialect'>): ListedLeases => ({
  async take(role, { owner, ttl, instead }) {
    const until = sql<number>`${databaseNow(dialect)} + ${ttl}`;
    const taken = await db
      .insertInto('lease')
      .values({ role, owner, token: 1, until })
      .onConflict((conflict) => {
        const taking = conflict
          .column('role')
          .doUpdateSet({ owner, token: sql`lease.token + 1`, until: sql`excluded.until` });
        if (dialect === 'sqlite') return taking;
        const isExpired = sql<boolean>`lease.until < ${databaseNow(dialect)}`;
        return taking.where(
          instead === undefined ? isExpired : sql<boolean>`(${isExpired} or lease.owner = ${instead})`,
        );
      })
      .returning('token')
      .executeTakeFirst();
    return taken === undefined ? null : { role, token: Number(taken.token) };
  },
  async owner(role) {
    const row = await db.selectFrom('lease').select('owner').where('role', '=', role).executeTakeFirst();
    return row?.owner;
  },
  async renew({ role, token }, ttl) {
    const { numUpdatedRows } = await db
      .updateTable('lease')
      .set({ until: sql<number>`${databaseNow(dialect)} + ${ttl}` })
      .where('role', '=', role)
      .where('token', '=', token)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  },
  async all() {
    const held = sql<number>`case when lease.until > ${databaseNow(dialect)} then 1 else 0 end`.as('held');
    const rows = await db
      .selectFrom('lease')
      .select(['role', 'owner', 'token', held])
      .orderBy('role')
      .execute();
    return rows.map((row) => ({ ...row, token: Number(row.token), held: Number(row.held) === 1 }));
  },
  async release({ role, token }) {
    await db
      .updateTable('lease')
      .set({ until: 0 })
      .where('role', '=', role)
      .where('token', '=', token)
      .execute();
  },
});
