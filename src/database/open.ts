import { existsSync } from 'node:fs';
import { ConfigError, DatabaseAway, DatabaseLost } from '../runtime/errors.ts';
import type { Database, DatabaseAccess, Dialect, Migrations } from './database.ts';
import { cannotOpen, lacksSpace } from './file.ts';
import { lockFile, lockProblem } from './lock.ts';
import { contentProblem, filePathProblem } from './problem.ts';
import { isUpToDate, upgradeTables } from './upgrade.ts';

/**
 * Opens the database and brings its tables up to date.
 * @param url `file:PATH`, `file::memory:` or `postgres://…`
 * @param alone locks a file for this process until it is closed, because on SQLite nothing else keeps two bots apart
 * @param beforeUpgrade throws a ConfigError if nothing may be changed; the tables may be those of an older version, or none
 * @throws ConfigError if the URL is of no known kind, or if `databaseProblem` finds a problem. The text does not contain
 * the URL, which may hold a password.
 */
export async function openDatabase<Tables>(
  url: string,
  {
    migrations,
    alone = false,
    beforeUpgrade,
  }: {
    readonly migrations: (dialect: Dialect) => Migrations;
    readonly alone?: boolean;
    readonly beforeUpgrade?: ((database: Database<Tables>) => Promise<void>) | undefined;
  },
): Promise<Database<Tables>> {
  if (url === inMemory) return openMemory(migrations);
  const path = pathIn(url);
  // To open a file for writing changes it, so it is looked at before.
  const problem = path === undefined ? null : await databaseProblem(url, { migrations });
  if (problem !== null) throw problem;
  const lock = alone && path !== undefined ? lockFile(path) : undefined;
  const database = await connect<Tables>(url, 'write').catch((error: unknown) => {
    lock?.release();
    throw error;
  });
  const close = async () => {
    await database.close();
    lock?.release();
  };
  try {
    const wanted = migrations(database.dialect);
    const found = path === undefined ? (await contentProblem(database, wanted)).problem : null;
    if (found !== null) throw new ConfigError([`${serverName} ${found}`]);
    await beforeUpgrade?.(database);
    if (!(await isUpToDate(database, wanted))) {
      // A bot of another version must not go on with tables that change under it.
      const upgrading = path !== undefined && lock === undefined ? lockFile(path) : undefined;
      await upgrade(url, { database, migrations: wanted }).finally(() => upgrading?.release());
    }
  } catch (error) {
    await close();
    if (error instanceof ConfigError) throw error;
    const away = error instanceof DatabaseAway;
    const remedy = away ? 'Try again once it answers.' : 'Check its permissions and free space.';
    throw new ConfigError(
      [`The ${database.dialect} database could not be upgraded: ${text(error)}. ${remedy}`],
      { cause: error, mayPass: away || lacksSpace(error) },
    );
  }
  return { ...database, close };
}

/** Databases in memory with tables and no rows, by the migrations that made them. */
const images = new WeakMap<(dialect: Dialect) => Migrations, Uint8Array>();

/** Opens a database in memory. Only the first one is migrated: a copy of its tables takes a tenth of the time. */
async function openMemory<Tables>(migrations: (dialect: Dialect) => Migrations): Promise<Database<Tables>> {
  const { openInMemory } = await import('./sqlite.ts');
  const image = images.get(migrations);
  const database = openInMemory<Tables>(image);
  if (image === undefined) {
    await upgradeTables(database, migrations(database.dialect));
    images.set(migrations, database.image());
  }
  return database;
}

async function upgrade<Tables>(
  url: string,
  { database, migrations }: { readonly database: Database<Tables>; readonly migrations: Migrations },
): Promise<void> {
  if (database.dialect === 'sqlite') return upgradeTables(database, migrations);
  const { openPostgres, upgradeTimeouts } = await import('./postgres.ts');
  const patient = await openPostgres<Tables>(url, { access: 'write', timeouts: upgradeTimeouts });
  await upgradeTables(patient, migrations).finally(() => patient.close());
}

/**
 * Returns the error with which `openDatabase` would refuse the database, in a sentence that says the remedy and contains
 * no password; null if it would not. Changes nothing.
 */
export async function databaseProblem(
  url: string,
  {
    migrations,
    alone = false,
    onlyRead = false,
    checkContent,
  }: {
    readonly migrations: (dialect: Dialect) => Migrations;
    readonly alone?: boolean;
    /** Whether the file is only read, so that its place may be full or not writable. */
    readonly onlyRead?: boolean;
    /** A further check of a database that has tables. */
    readonly checkContent?: (database: Database<unknown>) => Promise<string | null>;
  },
): Promise<ConfigError | null> {
  const path = pathIn(url);
  const pathProblem = path === undefined ? null : filePathProblem(path, { onlyRead });
  if (pathProblem !== null || url === inMemory || (path !== undefined && !existsSync(path)))
    return pathProblem;
  const name = path ?? serverName;
  let database: Database<unknown> | undefined;
  try {
    database = await connect<unknown>(url, 'look');
    const content = await contentProblem(database, migrations(database.dialect));
    if (content.problem !== null) return new ConfigError([`${name} ${content.problem}`]);
    const further = content.empty ? null : ((await checkContent?.(database)) ?? null);
    const found = further ?? (alone && path !== undefined ? lockProblem(path) : null);
    return found === null ? null : new ConfigError([found]);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    if (path !== undefined && lacksSpace(error)) return cannotOpen(path, error);
    // Nothing is lost yet of a file that was never the bot's.
    const said = text(error instanceof DatabaseLost ? error.cause : error);
    return new ConfigError([`${name} cannot be read (${said}): choose another one`], { cause: error });
  } finally {
    await database?.close();
  }
}

/**
 * Opens a database that exists and is up to date, to read it while another process writes it.
 * @throws ConfigError as openDatabase
 */
export const openToRead = <Tables>(url: string): Promise<Database<Tables>> => connect<Tables>(url, 'read');

// The drivers load on first use: pg is not needed with SQLite, nor the other way round.
async function connect<Tables>(url: string, access: DatabaseAccess): Promise<Database<Tables>> {
  if (url.startsWith('file:'))
    return (await import('./sqlite.ts')).openSqlite<Tables>(url.slice('file:'.length), access);
  if (/^postgres(ql)?:\/\//.test(url))
    return (await import('./postgres.ts')).openPostgres<Tables>(url, { access });
  throw new ConfigError(['A database URL must begin with "file:" or "postgres://".']);
}

const inMemory = 'file::memory:';
const serverName = 'the Postgres database';

/** Returns the path of a SQLite database that is a file. */
export const pathIn = (url: string): string | undefined =>
  url.startsWith('file:') && url !== inMemory ? url.slice('file:'.length) : undefined;

const text = (error: unknown): string => (error instanceof Error ? error.message : String(error));
