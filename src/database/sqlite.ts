import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Kysely, SqliteAdapter, SqliteDialect, type SqliteStatement } from 'kysely';
import type { Database, DatabaseAccess } from './database.ts';
import { cannotOpen, makeFile } from './file.ts';
import { createGuard, damageText, type Guard, isDamage } from './guard.ts';
import { SqliteLists } from './lists.ts';
import { type FileSync, openWalSync } from './wal-sync.ts';

/** Number of prepared statements cached: for the small statements of the outbox, preparing costs more than running. */
const preparedStatements = 256;

/** Pages (4 MB) returned to the disk at once. This takes 26 ms, in which nothing else is written. */
const pagesAtOnce = 1_000;

/** SQLite undoes created tables too: without a transaction an update of them that breaks off would be left half done. */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class Dialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new Adapter();
  }

  override createQueryCompiler(): SqliteLists {
    return new SqliteLists();
  }
}

export const openSqlite = <Tables>(path: string, access: DatabaseAccess): Database<Tables> =>
  databaseOn({ sqlite: openFile(path, access), guard: createGuard(path), disk: openWalSync(path), access });

/** Opens a database in memory. @param image what it begins with, as the method `image` returned it; left out: nothing */
export function openInMemory<Tables>(image?: Uint8Array): Database<Tables> & { image(): Uint8Array } {
  const sqlite = openFile(':memory:', 'write');
  if (image !== undefined) sqlite.deserialize(image);
  return {
    ...databaseOn({ sqlite, guard: createGuard(), access: 'write' }),
    image: () => sqlite.serialize(),
  };
}

interface Opened {
  readonly sqlite: DatabaseSync;
  readonly guard: Guard;
  readonly disk?: FileSync | undefined;
  readonly access: DatabaseAccess;
}

function databaseOn<Tables>({ sqlite, guard, disk, access }: Opened): Database<Tables> {
  const db = new Kysely<Tables>({
    dialect: new Dialect({ database: asBetterSqlite({ sqlite, guard, access }) }),
  });
  return {
    dialect: 'sqlite',
    db,
    guard,
    transaction: (work) => db.transaction().execute(work),
    async shrink() {
      const pages = (what: 'page_count' | 'freelist_count') =>
        Number(Object.values(sqlite.prepare(`PRAGMA ${what}`).get() ?? {})[0]);
      const isEmptyEnough = () => pages('freelist_count') > Math.max(pagesAtOnce, pages('page_count') / 4);
      for (let before = Number.POSITIVE_INFINITY; isEmptyEnough() && pages('freelist_count') < before; ) {
        before = pages('freelist_count');
        // Within a transaction no other one is under way. A prepared statement would return a single page only.
        await db.transaction().execute(async () => sqlite.exec(`PRAGMA incremental_vacuum(${pagesAtOnce})`));
        await setImmediate();
      }
    },
    sync: async () => disk?.sync(),
    async close() {
      await disk?.close();
      await db.destroy();
    },
  };
}

/**
 * Reads a file as it is, table by table.
 * @throws ConfigError if it cannot be opened
 */
export function readSqlite(path: string) {
  const sqlite = openFile(path, 'look');
  return {
    rows(table: string): Iterable<Readonly<Record<string, unknown>>> {
      return sqlite.prepare(`select * from "${table}"`).iterate();
    },
    /** Returns the last id that was assigned, by table. */
    sequences(): ReadonlyMap<string, number> {
      const kept = sqlite.prepare("select 1 from sqlite_master where name = 'sqlite_sequence'").get();
      const rows = kept === undefined ? [] : sqlite.prepare('select name, seq from sqlite_sequence').all();
      return new Map(rows.map(({ name, seq }) => [String(name), Number(seq)]));
    },
    close: () => sqlite.close(),
  };
}

function openFile(path: string, access: DatabaseAccess): DatabaseSync {
  if (path !== ':memory:' && access === 'write') makeFile(path);
  try {
    const sqlite = new DatabaseSync(access === 'look' ? urlToLook(path) : path, {
      readOnly: access !== 'write',
      // From the beginning: the pragmas below too wait for another process that is writing, such as the bot whose keys are listed.
      timeout: 5_000,
    });
    // WAL with NORMAL loses nothing if the process is killed. A power cut may undo the last commits, but not those before a
    // post, which `sync` keeps: an alert that was not posted is made again from the state before it. How space is returned to the disk
    // (auto_vacuum) takes effect before the first table is created. Most pages are written again within seconds: a WAL
    // of up to 16 MB instead of 4 takes a quarter off what commits cost, because each page is copied back less often.
    if (access === 'write')
      sqlite.exec(
        `PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 4000;
        PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON`,
      );
    return sqlite;
  } catch (cause) {
    throw cannotOpen(path, cause);
  }
}

/**
 * Returns the name under which to open a file to look at it. A file without a -wal beside it is complete, so it is opened
 * as immutable, which creates no -wal.
 */
function urlToLook(path: string): string | URL {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return existsSync(`${path}-wal`) ? path : url;
}

/** Returns node:sqlite behind the part of better-sqlite3's interface that Kysely's dialect uses. */
function asBetterSqlite({ sqlite, guard, access }: Omit<Opened, 'disk'>) {
  // A transaction that reads first fails at its first write (SQLITE_BUSY_SNAPSHOT) if another process has written meanwhile, such
  // as the one that creates a key: for that no waiting helps. One that writes from its beginning waits for its turn.
  const begin = access === 'write' ? 'begin immediate' : 'begin';

  const prepared = new Map<string, SqliteStatement>();
  return {
    close: () => sqlite.close(),
    // Called for each statement that runs. What a transaction has written is stored by its commit.
    prepare: (sql: string): SqliteStatement => orLost(guard, () => prepare(sql)),
  };

  function prepare(sql: string): SqliteStatement {
    if (sql === 'commit' || (!sqlite.isTransaction && stores.test(sql))) guard.check();
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    if (sql === 'rollback') return rollback(sqlite, guard);
    const statement = asStatement(sqlite.prepare(sql === 'begin' ? begin : plannedOnce(sql)), guard);
    // DDL statements are rare and change what prepared statements mean, so they are not cached.
    if (/^\s*(select|insert|update|delete|with|begin|commit)\b/i.test(sql)) {
      if (prepared.size >= preparedStatements) prepared.delete(prepared.keys().next().value ?? '');
      prepared.set(sql, statement);
    }
    return statement;
  }
}

/** Runs a statement. What finds the file damaged knows it before the next examination. @throws DatabaseLost */
function orLost<Result>(guard: Guard, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (!isDamage(error)) throw error;
    guard.note('content', damageText(guard.path, error.message));
    guard.check(error);
    throw error;
  }
}

/** Statements that may store something without a transaction. */
const stores = /^\s*(insert|update|delete|with)\b/i;

/**
 * Turns a bound limit into a sum, which SQLite's planner does not look into. SQLite plans a statement by the value of a
 * bound limit, and so plans it again whenever a value is bound: with 3.53 that takes 10 to 80 µs, for statements that run
 * in one to five.
 */
const plannedOnce = (sql: string): string => sql.replaceAll(/\blimit \?/gi, 'limit ? + 0');

/**
 * On a full disk SQLite has rolled the transaction back itself. An error that there is no transaction must not hide the
 * cause.
 */
const rollback = (sqlite: DatabaseSync, guard: Guard): SqliteStatement =>
  asStatement(sqlite.prepare(sqlite.isTransaction ? 'rollback' : 'select 1 where false'), guard);

function asStatement(statement: StatementSync, guard: Guard): SqliteStatement {
  const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => orLost(guard, () => statement.all(...values(parameters))),
    run: (parameters) => orLost(guard, () => statement.run(...values(parameters))),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  };
}
