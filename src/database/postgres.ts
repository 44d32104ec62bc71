import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { ConfigError } from '../runtime/errors.ts';
import type { Access, Database } from './database.ts';

/** OID of int8. All ours are milliseconds and counts below 2^53, so they are read as numbers. */
const int8 = 20;

export async function openPostgres<Tables>(url: string, access: Access): Promise<Database<Tables>> {
  const readOnly = access !== 'write';
  const pool = new pg.Pool({
    connectionString: url,
    max: readOnly ? 2 : 8,
    ...(readOnly && { options: '-c default_transaction_read_only=on' }),
    connectionTimeoutMillis: 10_000,
    types: {
      getTypeParser: (oid, format) => (oid === int8 ? Number : pg.types.getTypeParser(oid, format)),
    },
  });
  // A broken idle connection is replaced at the next query; without a listener it would end the process.
  pool.on('error', () => {});
  try {
    (await pool.connect()).release();
  } catch (cause) {
    await pool.end();
    throw new ConfigError(
      ['Postgres cannot be reached: check host, port, name and password in the database URL.'],
      { cause },
    );
  }
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return {
    dialect: 'postgres',
    db,
    transaction: (work) => db.transaction().execute(work),
    close: () => db.destroy(),
  };
}
