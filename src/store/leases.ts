import type { Transaction } from 'kysely';
import type { Database, Dialect } from '../database/database.ts';
import { type Lease, LostRole } from '../runtime/role.ts';
import type { Tables } from './tables.ts';

/** Each transaction first checks that the lease is held, and keeps it from being taken until it has ended. */
export const fenced = (database: Database<Tables>, lease: Lease): Database<Tables> => ({
  ...database,
  transaction: (work) =>
    database.transaction(async (trx) => {
      await see(trx, { ...lease, dialect: database.dialect });
      return work(trx);
    }),
});

async function see(
  trx: Transaction<Tables>,
  { role, token, dialect }: { readonly dialect: Dialect } & Lease,
): Promise<void> {
  const held = trx.selectFrom('lease').select('token').where('role', '=', role).where('token', '=', token);
  const row = await (dialect === 'postgres' ? held.forUpdate() : held).executeTakeFirst();
  if (row === undefined) throw new LostRole(role);
}
