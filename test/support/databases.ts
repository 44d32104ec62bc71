import pg from 'pg';
import { afterAll, beforeAll, describe } from 'vitest';
import type { Dialect, Migrations } from '#src/database/database.ts';
import { openDatabase } from '#src/database/open.ts';
import { migrations as archiveTables } from '#src/service/archive/migrations.ts';
import { migrations as storeTables } from '#src/store/migrations.ts';
import { poorer } from './distributed.ts';
import { type Server, startPostgres } from './postgres.ts';

type Suite = (url: () => Promise<string>, dialect: Dialect) => void;

function onServer(what: string, suite: (server: () => Server) => void): void {
  describe(what, () => {
    let server: Server;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server.stop());
    suite(() => server);
  });
}

/** Declares one suite for each kind of database; `url` creates a new, empty one. */
export function onDatabases(what: string, suite: Suite): void {
  describe(`${what} on sqlite`, () => suite(async () => 'file::memory:', 'sqlite'));
  onServer(`${what} on postgres`, (server) => suite(() => server().fresh(), 'postgres'));
}

/**
 * Declares one suite for each kind of database that the bot's tables may be in, including a Postgres that lacks what
 * distributed databases lack. On Postgres `url` returns the same database each time, emptied.
 */
export function onStores(what: string, suite: Suite): void {
  describe(`${what} on sqlite`, () => suite(async () => 'file::memory:', 'sqlite'));
  onPostgres(what, suite);
  onServer(`${what} on a distributed database`, (server) =>
    suite(
      emptied('distributed store', { fresh: () => poorer(server()), migrations: storeTables }),
      'postgres',
    ),
  );
}

/** Declares a suite for Postgres alone, where SQLite uses a file of its own instead. */
export function onPostgres(what: string, suite: Suite): void {
  onServer(`${what} on postgres`, (server) =>
    suite(emptied('store', { fresh: () => server().fresh(), migrations: storeTables }), 'postgres'),
  );
}

/** Waits for the one Postgres of the run, on which each fresh archive is the same one, emptied. */
export async function startArchives(): Promise<Server> {
  const server = await startPostgres();
  return {
    ...server,
    fresh: emptied('archive', { fresh: () => server.fresh(), migrations: archiveTables }),
  };
}

/** Databases by kind, kept for the files that this worker runs later: it runs them one after the other. */
const kept = new Map<string, { readonly url: string; readonly pool: pg.Pool; readonly empty: string }>();

/**
 * Returns the same database each time, with tables that are up to date and empty, because a new one costs more time than most
 * tests. Its tables are not to be changed.
 * @param kind names the database: those of another kind are others
 */
function emptied(
  kind: string,
  {
    fresh,
    migrations,
  }: { readonly fresh: () => Promise<string>; readonly migrations: (dialect: Dialect) => Migrations },
): () => Promise<string> {
  return async () => {
    const known = kept.get(kind);
    if (known !== undefined) {
      await known.pool.query(known.empty);
      return known.url;
    }
    const url = await fresh();
    await (await openDatabase(url, { migrations })).close();
    // One connection for all tests: a new one would first read the definitions of all tables.
    const pool = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
    // Tests that end the server's connections end this one, too; the pool then opens another.
    pool.on('error', () => {});
    const tables = await pool.query(
      "select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely%'",
    );
    const empty = tables.rows.map(({ tablename }) => `delete from ${tablename}`).join(';');
    kept.set(kind, { url, pool, empty });
    return url;
  };
}
