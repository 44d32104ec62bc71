import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Kysely, SqliteDialect, type SqliteStatement } from 'kysely';
import type { Database, DatabaseAccess } from './database.ts';
import { cannotOpen, makeFile } from './file.ts';
import { SqliteLists } from './lists.ts';

/** Statements kept prepared: preparing costs more than running for the small ones of the outbox. */
const preparedStatements = 256;

/** Pages, 4 MB, that are given back at once: 26 ms, in which nothing else is written. */
const pagesAtOnce = 1_000;

class Dialect extends SqliteDialect {
  override createQueryCompiler(): SqliteLists {
    return new SqliteLists();
  }
}

export function openSqlite<Tables>(path: string, access: DatabaseAccess): Database<Tables> {
  const sqlite = openFile(path, access);
  const db = new Kysely<Tables>({ dialect: new Dialect({ database: asBetterSqlite(sqlite) }) });
  return {
    dialect: 'sqlite',
    db,
    transaction: (work) => db.transaction().execute(work),
    async shrink() {
      const pages = (what: 'page_count' | 'freelist_count') =>
        Number(Object.values(sqlite.prepare(`PRAGMA ${what}`).get() ?? {})[0]);
      const isEmptyEnough = () => pages('freelist_count') > Math.max(pagesAtOnce, pages('page_count') / 4);
      for (let before = Number.POSITIVE_INFINITY; isEmptyEnough() && pages('freelist_count') < before; ) {
        before = pages('freelist_count');
        // No other transaction is under way in this one. A prepared statement would give back a single page.
        await db.transaction().execute(async () => sqlite.exec(`PRAGMA incremental_vacuum(${pagesAtOnce})`));
        await setImmediate();
      }
    },
    close: () => db.destroy(),
  };
}

/**
 * A file as it lies there, table by table, its rows in an order that stays as long as nobody writes it.
 * @throws ConfigError where it cannot be opened
 */
export function readSqlite(path: string) {
  const sqlite = openFile(path, 'look');
  return {
    /** Without the first `skip`. */
    rows(table: string, skip = 0): Iterable<Readonly<Record<string, unknown>>> {
      const keyless = sqlite.prepare('select wr from pragma_table_list where name = ?').get(table)?.wr === 1;
      const keys = sqlite
        .prepare('select name from pragma_table_info(?) where pk > 0 order by pk')
        .all(table);
      const order = keyless ? keys.map(({ name }) => `"${name}"`).join() : 'rowid';
      return sqlite.prepare(`select * from "${table}" order by ${order} limit -1 offset ?`).iterate(skip);
    },
    /** The last id that was given, by table. */
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
    const sqlite = new DatabaseSync(access === 'look' ? atRest(path) : path, {
      readOnly: access !== 'write',
    });
    // WAL with NORMAL survives a killed process whole. A power cut may undo the last commits, but an alert is
    // committed with the state that made it, so that it is made again rather than lost.
    // How space is given back can only be said before the first table.
    if (access === 'write')
      sqlite.exec(
        'PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON',
      );
    sqlite.exec('PRAGMA busy_timeout = 5000');
    return sqlite;
  } catch (cause) {
    throw cannotOpen(path, cause);
  }
}

/** A file beside which no -wal lies is whole: read as it is, none is made. */
function atRest(path: string): string | URL {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return existsSync(`${path}-wal`) ? path : url;
}

/** The part of better-sqlite3 that Kysely's dialect speaks, over node:sqlite. */
function asBetterSqlite(sqlite: DatabaseSync) {
  const prepared = new Map<string, SqliteStatement>();
  return {
    close: () => sqlite.close(),
    prepare(sql: string): SqliteStatement {
      const known = prepared.get(sql);
      if (known !== undefined) return known;
      if (sql === 'rollback') return rollback(sqlite);
      const statement = asStatement(sqlite.prepare(plannedOnce(sql)));
      // DDL changes what a kept statement means, and is rare: it is not kept.
      if (/^\s*(select|insert|update|delete|with)/i.test(sql)) {
        if (prepared.size >= preparedStatements) prepared.delete(prepared.keys().next().value ?? '');
        prepared.set(sql, statement);
      }
      return statement;
    },
  };
}

/**
 * SQLite plans a statement by the value of a bound limit, and so plans it anew whenever one is bound: with 3.53 that takes
 * 10 to 80 µs, of statements that run in one to five. It does not look into a sum.
 */
const plannedOnce = (sql: string): string => sql.replaceAll(/\blimit \?/gi, 'limit ? + 0');

/** On a full disk SQLite has undone the transaction itself: that there is none is not to hide why. */
const rollback = (sqlite: DatabaseSync): SqliteStatement =>
  sqlite.isTransaction
    ? asStatement(sqlite.prepare('rollback'))
    : asStatement(sqlite.prepare('select 1 where false'));

function asStatement(statement: StatementSync): SqliteStatement {
  const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  };
}
