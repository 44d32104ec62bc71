import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { Database, Migrations } from './database.ts';

/** Names of the migrator's own tables and lock, which exist in people's databases. */
const migrationTable = 'kysely_migration';
const lockTable = 'kysely_migration_lock';
const lockRow = 'migration_lock';

/** Returns the names of the database's tables. */
export async function tableNames<Tables>({
  db,
  dialect,
}: Pick<Database<Tables>, 'db' | 'dialect'>): Promise<string[]> {
  // The views of information_schema take Postgres several times as long. Kinds: a table, or one in partitions.
  const tables =
    dialect === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
      : sql<{ name: string }>`select relname as name from pg_class
          where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')`;
  return (await tables.execute(db)).rows.map(({ name }) => name);
}

/** Returns the names of the migrations that were applied. */
export async function appliedMigrations<Tables>(
  { db }: Pick<Database<Tables>, 'db'>,
  tables: readonly string[],
): Promise<string[]> {
  if (!tables.includes(migrationTable)) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(migrationTable)}`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Returns whether all migrations were applied. The migrator itself reads the columns of all tables several times before it
 * finds that nothing is missing.
 */
export async function isUpToDate<Tables>(
  database: Database<Tables>,
  migrations: Migrations,
): Promise<boolean> {
  const applied = new Set(await appliedMigrations(database, await tableNames(database)));
  return Object.keys(migrations).every((name) => applied.has(name));
}

/**
 * Applies the migrations that are missing. Of processes that begin at the same time one does it, and the others find it
 * done. Throws the database's error.
 */
export async function upgradeTables<Tables>(
  database: Database<Tables>,
  migrations: Migrations,
): Promise<void> {
  const migrate = async (db: Kysely<Tables>) => {
    const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
  };
  if (database.dialect === 'sqlite') return migrate(database.db);
  await makeTables(database);
  // The whole transaction is repeated if another process was first.
  await database.transaction(migrate);
}

/**
 * Creates the migrator's tables, before the transaction: within it, an error because another process has created them at
 * the same time would end the transaction.
 */
async function makeTables<Tables>({ db, transaction }: Database<Tables>): Promise<void> {
  const { rows } = await sql`select 1 from information_schema.tables
    where table_schema = current_schema() and table_name = ${lockTable}`.execute(db);
  if (rows.length === 0) {
    await make(db, migrationTable, 'name varchar(255) not null primary key, timestamp varchar(255) not null');
    await make(db, lockTable, 'id varchar(255) not null primary key, is_locked integer not null default 0');
  }
  const row = sql`insert into ${sql.table(lockTable)} values (${lockRow}, 0) on conflict do nothing`;
  await transaction((trx) => row.execute(trx));
}

const make = <Tables>(db: Kysely<Tables>, table: string, columns: string): Promise<unknown> =>
  sql`create table if not exists ${sql.table(table)} (${sql.raw(columns)})`
    .execute(db)
    .catch((error: unknown) => {
      if (!madeByAnother(error)) throw error;
    });

/** Returns whether an error says that another process has just created the table, its type, or the name of either. */
const madeByAnother = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['42P07', '42710', '23505'].includes(String(error.code));
