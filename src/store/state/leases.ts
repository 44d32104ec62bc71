import type { Kysely, Transaction } from 'kysely';
import type { Database, Dialect } from '../../database/database.ts';
import { type Lease, LostRole } from '../../runtime/role.ts';
import type { Tables } from '../tables.ts';

/**
 * Returns the database with transactions that first check that the lease is held, and keep it from being taken until they
 * have ended. They throw LostRole if it is not held.
 */
export const fenced = (database: Database<Tables>, lease: Lease): Database<Tables> => ({
  ...database,
  transaction: (work) =>
    database.transaction(async (trx) => {
      await checkHeld(trx, { ...lease, dialect: database.dialect });
      return work(trx);
    }),
});

async function checkHeld(
  trx: Transaction<Tables>,
  { role, token, dialect }: { readonly dialect: Dialect } & Lease,
): Promise<void> {
  const held = trx.selectFrom('lease').select('token').where('role', '=', role).where('token', '=', token);
  const row = await (dialect === 'postgres' ? held.forUpdate() : held).executeTakeFirst();
  if (row === undefined) throw new LostRole(role);
}

/** Returns a query that finds the lease if it is held, and keeps it from being taken until its statement has ended. */
export function heldLease(
  db: Kysely<Tables>,
  { role, token, dialect }: { readonly dialect: Dialect } & Lease,
) {
  const held = db.selectFrom('lease').where('role', '=', role).where('token', '=', token);
  return dialect === 'postgres' ? held.forShare() : held;
}

/** Ends all leases: their holders can write nothing more under them, and any process may take the roles. */
export const voidLeases = (trx: Transaction<Tables>) =>
  trx
    .updateTable('lease')
    .set((lease) => ({ token: lease('token', '+', 1), until: 0 }))
    .execute();
