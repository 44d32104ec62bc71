import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { connect, createServer, Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Database, Migrations } from '#src/database/database.ts';
import { databaseProblem, openDatabase } from '#src/database/open.ts';
import { openPostgres, type PostgresTimeouts } from '#src/database/postgres.ts';
import { DatabaseAway } from '#src/runtime/errors.ts';
import { migrations as botTables } from '#src/store/migrations.ts';
import { poorer } from '#test/support/distributed.ts';
import { ownFolder } from '#test/support/folder.ts';
import { query, type Server, startPostgres } from '#test/support/postgres.ts';

type Up = Migrations[string]['up'];

interface Tables {
  counter: { id: number | bigint; n: number };
}

let fresh: Server['fresh'];
beforeAll(async () => {
  ({ fresh } = await startPostgres());
});

async function open(url: string, patience?: PostgresTimeouts): Promise<Database<Tables>> {
  const database = await openPostgres<Tables>(url, { access: 'write', timeouts: patience });
  onTestFinished(() => database.close());
  await sql`create table if not exists counter (id bigint primary key, n integer)`.execute(database.db);
  return database;
}

/** Ends all other connections to the database, as a restart of the server does. */
async function terminate(url: string): Promise<void> {
  await query(
    url,
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
}

/** Runs deploy/postgres/roles.sh with these secrets, and over a connection what it gives to psql, which a machine may lack. */
async function makeRoles(url: string, secrets: Readonly<Record<string, string>>): Promise<void> {
  const folder = await ownFolder();
  for (const [name, text] of Object.entries(secrets)) await writeFile(join(folder, name), `${text}\n`);
  const script = await readFile(join(import.meta.dirname, '../../deploy/postgres/roles.sh'), 'utf8');
  const psql = `psql() { printf '%s\\n' "$@"; echo; cat; printf '\\f'; }`;
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-c', `${psql}\n${script.replaceAll('/run/secrets', folder)}`],
    { env: { ...process.env, POSTGRES_USER: 'postgres' } },
  );
  for (const call of stdout.split('\f').slice(0, -1)) {
    const [words = '', statements = ''] = call.split('\n\n');
    const variables = new Map(words.split('\n').map((word) => word.split('=') as [string, string]));
    const value = (name: string) => variables.get(name) ?? '';
    for (const statement of statements.trim().split('\n'))
      await query(
        url,
        statement
          .replace(/:"(\w+)"/g, (_, name) => pg.escapeIdentifier(value(name)))
          .replace(/:'(\w+)'/g, (_, name) => pg.escapeLiteral(value(name))),
      );
  }
}

describe('postgres', () => {
  it('that cannot be reached is named with the reason, and a wrong URL does not pass by itself', async () => {
    const url = await fresh();
    const named = (change: Partial<Record<'pathname' | 'username' | 'port', string>>) =>
      Object.assign(new URL(url), change).href;
    for (const [given, mayPass, reason] of [
      [named({ port: '1' }), true, 'ECONNREFUSED'],
      [named({ pathname: '/nowhere' }), false, 'database "nowhere" does not exist'],
      ['postgres://tocsin:pass/word@127.0.0.1/tocsin', false, 'ERR_INVALID_URL'],
      [`${url}?sslmode=verify-full`, false, 'the server has no TLS'],
      [`${url}?sslmode=verify-full&sslrootcert=/no/ca.pem`, false, '/no/ca.pem cannot be read'],
    ] as const) {
      const problem = `Postgres cannot be reached: check host, port, name, password and sslmode in the database URL (${reason}).`;
      await expect(openPostgres(given, { access: 'write' })).rejects.toMatchObject({
        problems: [problem],
        mayPass,
      });
    }
    // In what words depends on how the server lets people in.
    const unknown = openPostgres(named({ username: 'nobody' }), { access: 'write' });
    await expect(unknown).rejects.toMatchObject({ mayPass: false });
    // Part of a malformed URL may be its password.
    const malformed = openPostgres(named({ pathname: '/word@host' }), { access: 'write' });
    await expect(malformed).rejects.toThrow(/in the database URL\.$/);
  });

  it('an error of a checked-out client fails its transaction and does not end the bot', async () => {
    const url = await fresh();
    const { db, transaction } = await open(url);
    const broken = transaction(async (trx) => {
      await sql`select 1`.execute(trx);
      await terminate(url);
      await sql`select 1`.execute(trx);
    });
    await expect(broken).rejects.toBeInstanceOf(DatabaseAway);
    await expect(sql`select 1`.execute(db)).resolves.toBeDefined();
  });

  it('what fails beside it within a transaction stays what it is', async () => {
    const { transaction } = await open(await fresh());
    const elsewhere = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    await expect(transaction(() => Promise.reject(elsewhere))).rejects.toBe(elsewhere);
    const wrong = transaction((trx) => sql`select 1 / 0`.execute(trx));
    await expect(wrong).rejects.toMatchObject({ code: '22012' });
    await expect(wrong).rejects.not.toBeInstanceOf(DatabaseAway);
  });

  it('a server that falls silent is given up, and a new connection is made', async () => {
    const server = await fresh();
    const { hostname, port } = new URL(server);
    let silent = false;
    const sockets = new Set<Socket>();
    const proxy = createServer((inner) => {
      const outer = connect(Number(port), hostname);
      sockets.add(inner).add(outer);
      inner.on('data', (data) => void (silent || outer.write(data))).on('error', () => {});
      outer.on('data', (data) => void (silent || inner.write(data))).on('error', () => {});
    });
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    });
    const address = proxy.address();
    const through = Object.assign(new URL(server), {
      port: String(typeof address === 'object' ? address?.port : 0),
    });
    const { db } = await open(through.href, { statement: 5_000, silence: 300 });
    silent = true;
    await expect(sql`select 1`.execute(db)).rejects.toBeInstanceOf(DatabaseAway);
    silent = false;
    await expect(sql`select 1`.execute(db)).resolves.toBeDefined();
  });

  it('a statement that takes too long is ended by the server', async () => {
    const { db } = await open(await fresh(), { statement: 100, silence: 5_000 });
    await expect(sql`select pg_sleep(20)`.execute(db)).rejects.toThrow(/statement timeout/);
  });

  it('a migration may take as long as it needs, and ordinary statements may not', async () => {
    const setTimeout = vi.spyOn(Socket.prototype, 'setTimeout');
    onTestFinished(() => setTimeout.mockRestore());
    const silences = () =>
      setTimeout.mock.contexts.flatMap((socket) =>
        socket instanceof Socket && !socket.destroyed ? [socket.timeout] : [],
      );
    const limits = async ({ db }: Pick<Database<Tables>, 'db'>) => {
      const { rows } = await sql`select current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as idle`.execute(db);
      return rows[0];
    };
    const during: unknown[] = [];
    const up: Up = async (db) => void during.push(await limits({ db }), silences());
    const database = await openDatabase<Tables>(await fresh(), { migrations: () => ({ '001': { up } }) });
    onTestFinished(() => database.close());
    expect(during).toEqual([{ statement: '0', idle: '5s' }, [40_000, 0]]);
    expect(await limits(database)).toEqual({ statement: '30s', idle: '5s' });
  });

  it.each([
    ['whose connection is ended can be tried again', 'select pg_terminate_backend(pg_backend_pid())', true],
    [
      'of a server that became a standby can be tried again',
      'do $$ begin raise read_only_sql_transaction; end $$',
      true,
    ],
    ['that is wrong fails for good', 'alter table nowhere add column x integer', false],
  ])('an upgrade %s', async (_, statement, mayPass) => {
    const up: Up = async (db) => void (await sql.raw(statement).execute(db));
    const start = openDatabase(await fresh(), { migrations: () => ({ '001': { up } }) });
    await expect(start).rejects.toMatchObject({ name: 'ConfigError', mayPass });
  });

  it('an upgrade whose connection breaks between two statements can be tried again', async () => {
    const url = await fresh();
    const up: Up = async (db) => {
      await terminate(url);
      await sql`select 1`.execute(db);
    };
    const start = openDatabase(url, { migrations: () => ({ '001': { up } }) });
    await expect(start).rejects.toMatchObject({ name: 'ConfigError', mayPass: true });
  });

  it.each(['40001', '40P01'])('%s makes the whole transaction be retried', async (code) => {
    const { db, transaction } = await open(await fresh());
    let times = 0;
    const n = await transaction(async (trx) => {
      times += 1;
      await trx.insertInto('counter').values({ id: 1, n: times }).execute();
      if (times < 3)
        await sql`do ${sql.raw(`$$ begin raise exception using errcode = '${code}'; end $$`)}`.execute(trx);
      return times;
    });
    expect(n).toBe(3);
    expect(await db.selectFrom('counter').select('n').execute()).toEqual([{ n: 3 }]);
  });

  it.each([
    ['Postgres', () => fresh()],
    ['a distributed database', () => poorer({ fresh, stop: async () => {} })],
  ])('several processes starting at once on %s create the tables once, and none fails', async (_, make) => {
    const url = await make();
    const opened = await Promise.all([1, 2, 3, 4].map(() => openDatabase(url, { migrations: botTables })));
    for (const database of opened) await database.close();
    expect(await query(url, 'select name from kysely_migration')).toHaveLength(
      Object.keys(botTables('postgres')).length,
    );
  });

  it('a user without the right to create tables is told how to get it, before any is created', async () => {
    const url = await fresh();
    const name = `reader_${randomUUID().replaceAll('-', '')}`;
    await query(url, `CREATE ROLE ${name} LOGIN PASSWORD 'x'`);
    const theirs = Object.assign(new URL(url), { username: name, password: 'x' }).href;
    expect(await databaseProblem(theirs, { migrations: botTables })).toMatchObject({
      message: expect.stringMatching(/GRANT CREATE ON SCHEMA public/),
    });
    expect(await databaseProblem(url, { migrations: botTables })).toBeNull();
  });

  it('the roles of compose.yaml own a database each, and have no other right', async () => {
    const url = await fresh();
    const [bot, archive] = ['bot', 'archive'].map((prefix) => {
      const name = `${prefix}_${randomUUID().replaceAll('-', '')}`;
      return Object.assign(new URL(url), { username: name, password: 'secret1', pathname: `/${name}` });
    }) as [URL, URL];
    await makeRoles(url, { database_url: bot.href, archive_url: `${archive.href}?application_name=data` });
    for (const [own, other] of [
      [bot, archive],
      [archive, bot],
    ] as const) {
      expect(await databaseProblem(own.href, { migrations: botTables })).toBeNull();
      const elsewhere = Object.assign(new URL(own), { pathname: other.pathname });
      await expect(query(elsewhere.href, 'select 1')).rejects.toThrow('permission denied for database');
      expect(
        await query(
          own.href,
          'select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as more, pg_has_role($$pg_read_all_data$$, $$member$$) as reads from pg_roles where rolname = current_user',
        ),
      ).toEqual([{ more: false, reads: false }]);
    }
  });

  it('ids never lose digits', async () => {
    const { db } = await open(await fresh());
    const id = 2n ** 60n + 1n;
    await db.insertInto('counter').values({ id, n: 1 }).execute();
    await db.insertInto('counter').values({ id: 7, n: 2 }).execute();
    const rows = await db.selectFrom('counter').select('id').orderBy('n').execute();
    expect(rows).toEqual([{ id }, { id: 7 }]);
    const found = db
      .selectFrom('counter')
      .select('n')
      .where(
        'id',
        'in',
        rows.map((row) => row.id),
      );
    expect(await found.execute()).toHaveLength(2);
  });
});
