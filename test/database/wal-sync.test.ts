import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '#src/database/sqlite.ts';
import { openWalSync, shareRuns } from '#src/database/wal-sync.ts';
import { ownFolder } from '#test/support/folder.ts';

it('calls during a run share one run, which begins after it', async () => {
  const runs: PromiseWithResolvers<void>[] = [];
  const run = shareRuns(() => {
    const next = Promise.withResolvers<void>();
    runs.push(next);
    return next.promise;
  });
  const ended: number[] = [];
  const call = (n: number) => run().then(() => ended.push(n));
  const calls = [call(1)];
  await Promise.resolve();
  await Promise.resolve();
  calls.push(call(2), call(3));
  expect(runs).toHaveLength(1);
  runs[0]?.resolve();
  await calls[0];
  expect([runs.length, ended]).toEqual([2, [1]]);
  runs[1]?.resolve();
  await Promise.all(calls);
  expect([runs.length, ended]).toEqual([2, [1, 2, 3]]);
});

it('a run that fails fails its own calls only', async () => {
  const results = [Promise.reject(new Error('disk')), Promise.resolve()];
  results[0]?.catch(() => {});
  const run = shareRuns(() => results.shift() ?? Promise.resolve());
  await expect(run()).rejects.toThrow('disk');
  await run();
});

it('a database file that is named by a link is synced, though SQLite puts the WAL beside the file itself', async () => {
  const folder = await ownFolder();
  mkdirSync(join(folder, 'disk'));
  writeFileSync(join(folder, 'disk', 'real.db'), '');
  symlinkSync(join(folder, 'disk', 'real.db'), join(folder, 'bot.db'));
  const database = openSqlite<{ t: { n: number } }>(join(folder, 'bot.db'), 'write');
  await database.db.schema.createTable('t').addColumn('n', 'integer').execute();
  expect(existsSync(join(folder, 'disk', 'real.db-wal'))).toBe(true);
  await database.sync();
  await database.close();
});

it('a database without a WAL is synced by SQLite itself', async () => {
  const folder = await ownFolder();
  const path = join(folder, 'bot.db');
  writeFileSync(path, '');
  const disk = openWalSync(path);
  await disk.sync();
  writeFileSync(`${path}-wal`, 'x');
  await disk.sync();
  await disk.close();
});

it('a database file is synced as it stands, and can be closed and opened again', async () => {
  const folder = await ownFolder();
  const path = join(folder, 'bot.db');
  for (const n of [1, 2]) {
    const database = openSqlite<{ t: { n: number } }>(path, 'write');
    await database.db.schema.createTable('t').ifNotExists().addColumn('n', 'integer').execute();
    await database.db.insertInto('t').values({ n }).execute();
    await Promise.all([database.sync(), database.sync()]);
    expect(await database.db.selectFrom('t').selectAll().execute()).toHaveLength(n);
    await database.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
  }
});
