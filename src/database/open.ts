import { Migrator } from 'kysely/migration';
import { ConfigError } from '../runtime/errors.ts';
import type { Database, Dialect, Migrations } from './database.ts';

/**
 * Opens the database and brings its tables up to date.
 * @param url `file:PATH`, `file::memory:` or `postgres://…`
 * @throws ConfigError when the URL is of no known kind or the database cannot be opened; the URL, which may hold
 *   a password, is not in its text.
 */
export async function openDatabase<Tables>(
  url: string,
  migrations: (dialect: Dialect) => Migrations,
): Promise<Database<Tables>> {
  const database = await connect<Tables>(url);
  const migrator = new Migrator({
    db: database.db,
    provider: { getMigrations: async () => migrations(database.dialect) },
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) {
    await database.close();
    throw new ConfigError(
      [
        `The ${database.dialect} database cannot be brought up to date: ${text(error)}. Check its permissions and space.`,
      ],
      { cause: error },
    );
  }
  return database;
}

/**
 * Opens a database that is there and up to date, for reading beside whoever writes it.
 * @throws ConfigError as openDatabase
 */
export const openToRead = <Tables>(url: string): Promise<Database<Tables>> =>
  connect<Tables>(url, { readOnly: true });

// The drivers load on first use: pg is not needed with SQLite, nor the other way round.
async function connect<Tables>(
  url: string,
  access?: { readonly readOnly: boolean },
): Promise<Database<Tables>> {
  if (url.startsWith('file:'))
    return (await import('./sqlite.ts')).openSqlite<Tables>(url.slice('file:'.length), access);
  if (/^postgres(ql)?:\/\//.test(url))
    return (await import('./postgres.ts')).openPostgres<Tables>(url, access);
  throw new ConfigError(['A database URL must begin with "file:" or "postgres://".']);
}

const text = (error: unknown): string => (error instanceof Error ? error.message : String(error));
