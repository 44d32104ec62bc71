import { afterAll, beforeAll, describe } from 'vitest';
import type { Dialect } from '#src/database/database.ts';
import { openDatabase } from '#src/database/open.ts';
import { migrations } from '#src/store/tables.ts';
import { poorer } from './distributed.ts';
import { query, type Server, startPostgres } from './postgres.ts';

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

/** One suite on every kind of database; `url` gives a new, empty one. */
export function onDatabases(what: string, suite: Suite): void {
  describe(`${what} on sqlite`, () => suite(async () => 'file::memory:', 'sqlite'));
  onServer(`${what} on postgres`, (server) => suite(() => server().fresh(), 'postgres'));
}

/**
 * The same for what is kept in the bot's tables, and on a Postgres that is as poor as distributed databases are. On Postgres
 * `url` gives one database again and again, empty each time: a new one costs more than most tests.
 */
export function onStores(what: string, suite: Suite): void {
  describe(`${what} on sqlite`, () => suite(async () => 'file::memory:', 'sqlite'));
  onPostgres(what, suite);
  onServer(`${what} on a distributed database`, (server) =>
    suite(
      emptied(() => poorer(server())),
      'postgres',
    ),
  );
}

/** On Postgres alone, for what SQLite keeps in a file of its own. */
export function onPostgres(what: string, suite: Suite): void {
  onServer(`${what} on postgres`, (server) =>
    suite(
      emptied(() => server().fresh()),
      'postgres',
    ),
  );
}

function emptied(fresh: () => Promise<string>): () => Promise<string> {
  let kept: { readonly url: string; readonly empty: string } | undefined;
  return async () => {
    if (kept !== undefined) {
      await query(kept.url, kept.empty);
      return kept.url;
    }
    const url = await fresh();
    await (await openDatabase(url, { migrations })).close();
    const tables = await query(
      url,
      "select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely%'",
    );
    kept = { url, empty: tables.map(({ tablename }) => `delete from ${tablename}`).join(';') };
    return url;
  };
}
