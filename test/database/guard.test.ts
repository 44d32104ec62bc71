import {
  closeSync,
  copyFileSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Migrations } from '#src/database/database.ts';
import { keepExamined } from '#src/database/keep-examined.ts';
import { openDatabase } from '#src/database/open.ts';
import { DatabaseLost } from '#src/runtime/errors.ts';
import { second } from '#src/runtime/units.ts';
import { fakeClock } from '#test/support/clock.ts';
import { ownFolder } from '#test/support/folder.ts';
import { patience } from '#test/support/patience.ts';

interface Tables {
  item: { text: string };
}
const migrations = (): Migrations => ({
  '001': { up: (db) => db.schema.createTable('item').addColumn('text', 'text').execute() },
});

/** Opens a database of 4 MB, and looks at it every five seconds of a clock that the test moves. */
async function opened() {
  const path = `${await ownFolder()}/bot.db`;
  const database = await openDatabase<Tables>(`file:${path}`, { migrations });
  await sql`insert into item with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000)
    select hex(randomblob(1000)) from n`.execute(database.db);
  await sql`pragma wal_checkpoint(truncate)`.execute(database.db);
  const wall = fakeClock();
  const log = { error: vi.fn(), warn: vi.fn(), info: vi.fn() };
  const examining = keepExamined({ database, wall, steady: wall, log });
  onTestFinished(async () => {
    await examining.stop();
    await database.close();
  });
  const write = () => database.db.insertInto('item').values({ text: 'x' }).execute();
  const look = async () => {
    await wall.advance(30 * second);
    return database.guard.problem();
  };
  /** Resolves once an examination has found the file damaged. */
  const isFound = () => expect.poll(look, { timeout: patience }).toMatch(/is damaged \(.*restore/s);
  return { path, database, wall, log, write, isFound };
}

const lost: Readonly<Record<string, { readonly lose: (path: string) => void; readonly says: string }>> = {
  deleted: { lose: (path) => rmSync(path), says: 'was deleted' },
  'moved away': { lose: (path) => renameSync(path, `${path}.away`), says: 'was deleted' },
  'replaced by its own copy': {
    lose(path) {
      copyFileSync(path, `${path}.copy`);
      renameSync(`${path}.copy`, path);
    },
    says: 'was replaced by another',
  },
  'replaced by an empty file': {
    lose(path) {
      rmSync(path);
      closeSync(openSync(path, 'w'));
    },
    says: 'was emptied',
  },
  'emptied in place': { lose: (path) => truncateSync(path), says: 'was emptied' },
};

it.each(Object.entries(lost))(
  'a database file that was %s takes no write, says so with the remedy, and is logged once',
  async (_, { lose, says }) => {
    const { path, database, wall, log, write } = await opened();
    lose(path);
    await expect(write()).rejects.toThrow(DatabaseLost);
    await expect(write()).rejects.toThrow(says);
    await expect(database.transaction((trx) => sql`delete from item`.execute(trx))).rejects.toThrow(
      DatabaseLost,
    );
    expect(database.guard.problem()).toMatch(/put the file or a backup back .*start it again/);
    for (let turn = 0; turn < 3; turn += 1) await wall.advance(5 * second);
    expect(log.error).toHaveBeenCalledTimes(1);
  },
);

it('what was written before a file was lost in the middle of a transaction is not committed', async () => {
  const { path, database } = await opened();
  const changed = database.transaction(async (trx) => {
    await trx.insertInto('item').values({ text: 'half' }).execute();
    renameSync(path, `${path}.away`);
  });
  await expect(changed).rejects.toThrow(DatabaseLost);
  renameSync(`${path}.away`, path);
  const found = await database.db.selectFrom('item').selectAll().where('text', '=', 'half').execute();
  expect(found).toEqual([]);
});

it('a file that is put back is written again', async () => {
  const { path, wall, log, write } = await opened();
  renameSync(path, `${path}.away`);
  await wall.advance(5 * second);
  renameSync(`${path}.away`, path);
  await write();
  await wall.advance(5 * second);
  expect(log.info).toHaveBeenCalledTimes(1);
});

it.each([0, 0.3, 0.9])(
  '32 kB of garbage at %s of the file are found in the background, and then nothing is written',
  async (share) => {
    const { path, log, write, isFound } = await opened();
    await write();
    const at = Math.floor((share * statSync(path).size) / 4_096) * 4_096;
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(32_768, 0xa5), 0, 32_768, at);
    closeSync(file);
    await isFound();
    await expect(write()).rejects.toThrow(DatabaseLost);
    expect(log.error).toHaveBeenCalledTimes(1);
  },
);

it.each<[string, (wal: string) => void]>([
  ['emptied', (wal) => truncateSync(wal)],
  ['deleted', (wal) => rmSync(wal)],
])(
  'a -wal file that was %s, which the next start would not read, is found in the background',
  async (_, lose) => {
    const { path, write, isFound } = await opened();
    await write();
    lose(`${path}-wal`);
    await write();
    await isFound();
  },
);

it('a read that finds the file damaged says so with the remedy at once', async () => {
  const { path, database } = await opened();
  writeFileSync(path, Buffer.alloc(statSync(path).size, 0xa5), { flag: 'r+' });
  const reading = sql`select max(length(text)) from item`.execute(database.db);
  await expect(reading).rejects.toThrow(DatabaseLost);
  expect(database.guard.problem()).toMatch(/is damaged \(.*restore/s);
});

it('a whole file is found whole, while it is written', async () => {
  const { database, wall, log, write } = await opened();
  for (let turn = 0; turn < 10; turn += 1) {
    await write();
    await wall.advance(30 * second);
  }
  expect(database.guard.problem()).toBeNull();
  expect(log.error).not.toHaveBeenCalled();
  expect(log.warn).not.toHaveBeenCalled();
});
