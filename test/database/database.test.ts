import { once } from 'node:events';
import fs from 'node:fs';
import { stat } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { atOnce } from '#src/database/at-once.ts';
import type { Migrations } from '#src/database/database.ts';
import { openDatabase, openToRead } from '#src/database/open.ts';
import { ConfigError } from '#src/runtime/errors.ts';
import { isOwnFault } from '#src/runtime/own-fault.ts';
import { onDatabases } from '#test/support/databases.ts';
import { ownFolder } from '#test/support/folder.ts';

interface Tables {
  item: { id: string; at: number; amount: number };
}

const migrations = (): Migrations => ({
  '001': {
    up: (db): Promise<void> =>
      db.schema
        .createTable('item')
        .addColumn('id', 'text', (c) => c.primaryKey())
        .addColumn('at', 'bigint', (c) => c.notNull())
        .addColumn('amount', 'double precision', (c) => c.notNull())
        .execute(),
  },
});

interface Pairs {
  pair: { one: string; other: string };
}

const pairMigrations = (): Migrations => ({
  '001': {
    up: (db): Promise<void> =>
      db.schema.createTable('pair').addColumn('one', 'text').addColumn('other', 'text').execute(),
  },
});

/** Opens a database for one test. */
async function opened<Own = Tables>(url: string, steps = migrations) {
  const database = await openDatabase<Own>(url, { migrations: steps });
  onTestFinished(() => database.close());
  return database;
}

const ownFile = async () => `${await ownFolder()}/bot.db`;

onDatabases('a database', (url, dialect) => {
  it('keeps integers and fractions as numbers', async () => {
    const database = await opened(await url());
    const row = { id: 'a', at: 1_767_225_600_000, amount: 0.1 };
    await database.db.insertInto('item').values(row).execute();
    expect(await database.db.selectFrom('item').selectAll().execute()).toEqual([row]);
    expect(database.dialect).toBe(dialect);
  });

  it('stores several rows in one statement as it stores single ones, whatever their values', async () => {
    const { db } = await opened(await url());
    const texts = ['plain', '"quoted"', "it's", '{a,b}', '\\ud83d', '😀', '\n\t', ''];
    const rows = texts.map((id, at) => ({
      id,
      at: at * 10 ** 12,
      amount: [0.1, 1e300, 5e-324, -0.5][at % 4] ?? 0,
    }));
    await db.insertInto('item').values(rows).execute();
    expect(await db.selectFrom('item').selectAll().orderBy('at').execute()).toEqual(rows);
    const halves = ['\ud83d', 'a', 'b', 'c', 'd', 'e'].map((id, at) => ({ id, at, amount: 0 }));
    await db.deleteFrom('item').execute();
    await db.insertInto('item').values(halves).execute();
    const kept = await db.selectFrom('item').select('id').orderBy('at').execute();
    expect(kept.map(({ id }) => id.replaceAll('\ufffd', ''))).toEqual(['', 'a', 'b', 'c', 'd', 'e']);
  });

  it('takes text with the character NUL, alone, in a list and in rows', async () => {
    const { db } = await opened(await url());
    const ids = ['\0', 'a\0', 'b', 'c', 'd', 'e'];
    await db
      .insertInto('item')
      .values(ids.map((id, at) => ({ id, at, amount: 0 })))
      .execute();
    await db.insertInto('item').values({ id: 'f\0', at: 6, amount: 0 }).execute();
    const found = db.selectFrom('item').select('at').orderBy('at');
    expect(await found.where('id', '=', '\0').execute()).toEqual([{ at: 0 }]);
    expect(await found.where('id', 'in', [...ids, 'f\0']).execute()).toHaveLength(7);
  });

  it('runs statements sent together in their order, and reports a failed one as such', async () => {
    const { db, transaction } = await opened(await url());
    const put = (id: string) => db.insertInto('item').values({ id, at: 1, amount: 1 });
    const kept = db.selectFrom('item').select('id').orderBy('id');
    const [, { rows }, { numAffectedRows }] = await atOnce(db, [put('a'), kept, db.deleteFrom('item')]);
    expect([rows, numAffectedRows]).toEqual([[{ id: 'a' }], 1n]);
    const refused = transaction((trx) => atOnce(trx, [put('b'), put('b'), kept, put('c')]));
    await expect(refused).rejects.toThrow(/unique/i);
    expect(await kept.execute()).toEqual([]);
  });

  it('finds the rows whose columns are one of many pairs, and no others', async () => {
    const { db } = await opened<Pairs>(await url(), pairMigrations);
    const text = fc.string({ maxLength: 3, unit: fc.constantFrom('a', '"', "'", '\\', '{', ',', 'é', '😀') });
    const pair = fc.record({ one: text, other: text });
    const sorted = (rows: readonly Pairs['pair'][]) => rows.map((row) => JSON.stringify(row)).sort();
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(pair, { selector: (each) => JSON.stringify(each), minLength: 1, maxLength: 12 }),
        fc.array(pair, { minLength: 1, maxLength: 12 }),
        async (kept, more) => {
          await db.deleteFrom('pair').execute();
          await db.insertInto('pair').values(kept).execute();
          const asked = [...kept.filter((_, index) => index % 2 === 0), ...more];
          const found = (operator: 'in' | 'not in') =>
            db
              .selectFrom('pair')
              .selectAll()
              .where(({ eb, refTuple, tuple }) =>
                eb(
                  refTuple('one', 'other'),
                  operator,
                  asked.map(({ one, other }) => tuple(one, other)),
                ),
              )
              .execute();
          const among = new Set(asked.map((each) => JSON.stringify(each)));
          const isAsked = (each: Pairs['pair']) => among.has(JSON.stringify(each));
          expect(sorted(await found('in'))).toEqual(sorted(kept.filter(isAsked)));
          expect(sorted(await found('not in'))).toEqual(sorted(kept.filter((each) => !isAsked(each))));
        },
      ),
      { numRuns: 25 },
    );
  });

  it('rolls back a transaction that throws', async () => {
    const database = await opened(await url());
    await expect(
      database.transaction(async (trx) => {
        await trx.insertInto('item').values({ id: 'a', at: 1, amount: 1 }).execute();
        throw new Error('stop');
      }),
    ).rejects.toThrow('stop');
    expect(await database.db.selectFrom('item').selectAll().execute()).toEqual([]);
  });

  it('keeps nothing of an update of the tables that breaks off, so that the next start repeats it', async () => {
    const file = dialect === 'sqlite' ? `file:${await ownFile()}` : await url();
    const second: Migrations[string] = {
      up: (db) => db.schema.alterTable('item').addColumn('note', 'text').execute(),
    };
    const full = async () => {
      throw new Error('disk full');
    };
    const brokenOff = (steps: Migrations, last: string): Migrations => ({
      ...steps,
      [last]: { up: (db) => steps[last]?.up(db).then(full) ?? full() },
    });
    const steps = { ...migrations(), '002': second };
    for (const [name, wanted] of [
      ['001', migrations()],
      ['002', steps],
    ] as const) {
      await expect(openDatabase(file, { migrations: () => brokenOff(wanted, name) })).rejects.toThrow(
        'disk full',
      );
      await (await openDatabase(file, { migrations: () => wanted })).close();
    }
  });

  it('opened read-only sees what its writer writes, and can write nothing itself', async () => {
    // A database in memory can be seen only by its writer.
    const shared = dialect === 'sqlite' ? `file:${await ownFile()}` : await url();
    const writer = await opened(shared);
    const reader = await openToRead<Tables>(shared);
    const row = { id: 'a', at: 1, amount: 1 };
    await writer.db.insertInto('item').values(row).execute();
    expect(await reader.db.selectFrom('item').selectAll().execute()).toEqual([row]);

    const attempts = [
      () =>
        reader.db
          .insertInto('item')
          .values({ ...row, id: 'b' })
          .execute(),
      () => reader.db.updateTable('item').set({ amount: 2 }).execute(),
      () => reader.db.deleteFrom('item').execute(),
      () => reader.db.schema.dropTable('item').execute(),
      () => reader.transaction((trx) => trx.deleteFrom('item').execute()),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toThrow(/read-?only/);
    expect(await writer.db.selectFrom('item').selectAll().execute()).toEqual([row]);
    await reader.close();
  });
});

it('opened read-only does not create a database', async () => {
  await expect(openToRead(`file:${await ownFile()}`)).rejects.toThrow(ConfigError);
});

it('a transaction that has read can still write, whatever another process wants to write meanwhile', async () => {
  const path = await ownFile();
  const { transaction, db } = await opened(`file:${path}`);
  const other = new DatabaseSync(path, { timeout: 0 });
  onTestFinished(() => other.close());
  const put = (id: string) => other.exec(`insert into item values ('${id}', 1, 1)`);
  await transaction(async (trx) => {
    await trx.selectFrom('item').selectAll().execute();
    expect(() => put('theirs')).toThrow(/locked/);
    await trx.insertInto('item').values({ id: 'ours', at: 1, amount: 1 }).execute();
  });
  put('theirs');
  expect(await db.selectFrom('item').select('id').orderBy('id').execute()).toHaveLength(2);
});

it('waits, when it is opened, for a transaction of another process', async () => {
  const file = await ownFile();
  await (await openDatabase(`file:${file}`, { migrations })).close();
  const writer = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     const { DatabaseSync } = require('node:sqlite');
     const database = new DatabaseSync(workerData);
     database.exec('BEGIN IMMEDIATE');
     parentPort.once('message', () => {
       database.exec(\`INSERT INTO item WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
         SELECT i, i, i FROM n; COMMIT\`);
       database.close();
     });
     parentPort.postMessage('begun');`,
    { eval: true, workerData: file },
  );
  const ended = once(writer, 'exit');
  await once(writer, 'message');
  writer.postMessage('commit');
  const { db } = await opened(`file:${file}`);
  const { count } = await db
    .selectFrom('item')
    .select((each) => each.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  expect(count).toBe(20_000);
  await ended;
});

it.each([['mysql://x'], [''], ['data/tocsin.db']])(
  'a URL of no known kind (%s) is a ConfigError',
  async (url) => {
    await expect(openDatabase(url, { migrations })).rejects.toThrow(/must begin with/);
  },
);

it('an unreachable Postgres is a ConfigError without the password', async () => {
  const failure = await openDatabase('postgres://me:hunter2@127.0.0.1:1/x', { migrations }).catch(
    (error) => error,
  );
  expect(failure.name).toBe('ConfigError');
  expect(String(failure)).not.toContain('hunter2');
});

it('tables are not changed under a bot of an older version, which has the file for itself', async () => {
  const url = `file:${await ownFile()}`;
  const newer = (): Migrations => ({
    ...migrations(),
    '002': { up: (db): Promise<void> => db.schema.dropTable('item').execute() },
  });
  const bot = await openDatabase<Tables>(url, { migrations, alone: true });
  await (await openDatabase(url, { migrations })).close();
  await expect(openDatabase(url, { migrations: newer })).rejects.toThrow(
    `in use by process ${process.pid}: stop that process`,
  );
  expect(await bot.db.selectFrom('item').selectAll().execute()).toEqual([]);
  await bot.close();
  await (await openDatabase(url, { migrations: newer })).close();
});

it('on a full disk rolls back the transaction and works again once there is space', async () => {
  const database = await opened('file::memory:');
  const put = (id: string) => database.db.insertInto('item').values({ id, at: 1, amount: 1 });
  const insert = () =>
    database.transaction((trx) => atOnce(trx, [put('a'.repeat(50_000)), put('b'.repeat(50_000)), put('c')]));
  // Limits the database to this many pages, as a full disk does.
  await sql`pragma max_page_count = 20`.execute(database.db);
  const refused = await insert().catch((error: unknown) => error);
  expect(refused).toMatchObject({ errcode: 13 });
  expect(isOwnFault(refused)).toBe(false);
  expect(await database.db.selectFrom('item').selectAll().execute()).toEqual([]);
  await sql`pragma max_page_count = 1000`.execute(database.db);
  await insert();
  expect(await database.db.selectFrom('item').selectAll().execute()).toHaveLength(3);
});

it.each<[string, () => void]>([
  [
    'for a folder or file beside the database',
    () => {
      vi.spyOn(fs, 'mkdtempSync').mockImplementation(() => {
        throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      });
      syncBuiltinESMExports();
    },
  ],
  [
    'for what a start writes',
    () => {
      const { statfsSync } = fs;
      vi.spyOn(fs, 'statfsSync').mockImplementation(((path: string) => ({
        ...statfsSync(path),
        ...{ bsize: 4_096, bavail: 200 },
      })) as unknown as typeof statfsSync);
      syncBuiltinESMExports();
    },
  ],
  [
    'for the lock',
    () => {
      const { exec } = DatabaseSync.prototype;
      vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, text) {
        exec.call(this, `pragma max_page_count = 1; ${text}`);
      });
    },
  ],
  [
    'for new tables',
    () => {
      const { prepare } = DatabaseSync.prototype;
      vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, text) {
        this.exec('pragma max_page_count = 1');
        return prepare.call(this, text);
      });
    },
  ],
])('a start without space %s is worth repeating, and succeeds once there is some', async (_, fill) => {
  const url = `file:${await ownFile()}`;
  const start = () => openDatabase<Tables>(url, { migrations, alone: true });
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  fill();
  await expect(start()).rejects.toMatchObject({
    name: 'ConfigError',
    message: expect.stringMatching(/space/),
    mayPass: true,
  });
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  await (await start()).close();
});

const failing = (errcode: number) => () => {
  throw Object.assign(new Error('disk I/O error'), { errcode });
};

it('a start on a file whose disk has no space for the -shm file is worth repeating', async () => {
  const url = `file:${await ownFile()}`;
  await (await openDatabase<Tables>(url, { migrations })).close();
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(failing(4_874));
  onTestFinished(() => prepare.mockRestore());
  await expect(openDatabase(url, { migrations })).rejects.toMatchObject({
    name: 'ConfigError',
    message: expect.stringMatching(/space/),
    mayPass: true,
  });
});

it('a file that could not be opened is not kept locked', async () => {
  const url = `file:${await ownFile()}`;
  const start = () => openDatabase<Tables>(url, { migrations, alone: true });
  const { exec } = DatabaseSync.prototype;
  const spy = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (
    this: DatabaseSync,
    text,
  ) {
    return text.includes('journal_mode = WAL') ? failing(10)() : exec.call(this, text);
  });
  onTestFinished(() => spy.mockRestore());
  await expect(start()).rejects.toThrow(/cannot be opened/);
  spy.mockRestore();
  await (await start()).close();
});

it('returns deleted space to the disk only if more than a quarter of the file is free', async () => {
  const path = await ownFile();
  const database = await opened(`file:${path}`);
  const rows = Array.from({ length: 3_000 }, (_, index) => ({
    id: `${index}`.padEnd(4_000),
    at: index,
    amount: 1,
  }));
  await database.transaction(async (trx) => {
    for (const row of rows) await trx.insertInto('item').values(row).execute();
  });
  const sizeOf = async () => {
    await database.shrink();
    await sql`pragma wal_checkpoint(truncate)`.execute(database.db);
    return (await stat(path)).size;
  };
  const full = await sizeOf();
  expect(full).toBeGreaterThan(3_000 * 4_000);
  await database.db.deleteFrom('item').where('at', '>=', 30).execute();
  expect(await sizeOf()).toBeLessThan(full / 2);
  expect(await database.db.selectFrom('item').selectAll().orderBy('at').execute()).toEqual(rows.slice(0, 30));
});
