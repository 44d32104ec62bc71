import fs, { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runBackup, runRestore } from '#src/app/cli/backup.ts';
import type { Config } from '#src/app/config/config.ts';
import { openConnections } from '#src/app/config/connections.ts';
import { openDatabase } from '#src/database/open.ts';
import { migrations as archiveTables } from '#src/service/archive/migrations.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { openStore } from '#src/store/open.ts';
import { firing, next, receiver, start, subscription } from '#test/support/alerts.ts';
import { ownFolder } from '#test/support/folder.ts';
import { startPostgres } from '#test/support/postgres.ts';
import { enqueued } from '#test/support/posting.ts';

async function setUp(database?: string) {
  const folder = await ownFolder();
  const at = (name: string) => join(folder, name);
  const urls = { bot: database ?? `file:${at('data/bot.db')}`, archive: `file:${at('data/archive.db')}` };
  const config = {
    database: urls.bot,
    data: { embedded: { archive: urls.archive } },
  } as Pick<Config, 'database' | 'data'>;
  const said: string[] = [];
  const print = async (text: string) => void said.push(text);
  const none = { config, file: undefined, archive: undefined, print };
  return {
    at,
    urls,
    said,
    backup: (given: { file?: string; archive?: string }) => runBackup({ ...none, ...given }),
    restore: (given: { file?: string; archive?: string; mark?: boolean }) =>
      runRestore({ ...none, mark: false, now: start, ...given }),
    /** Leaves the store open, as in a running bot. */
    async bot(options: { alone?: boolean } = {}) {
      const store = await openStore(urls.bot, options);
      onTestFinished(() => store.close());
      return store;
    },
    watchlist: async () => {
      const store = await openStore(urls.bot);
      try {
        return await store.watchlist.of(receiver());
      } finally {
        await store.close();
      }
    },
  };
}

/** Lets the disk of a folder be full until the test ends. */
function fillDisk(folder: string): void {
  const { mkdtempSync } = fs;
  const spy = vi.spyOn(fs, 'mkdtempSync').mockImplementation((prefix) => {
    if (prefix.startsWith(folder)) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    return mkdtempSync(prefix);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

/** Overwrites pages at the end of a database file. */
function damage(path: string): void {
  const bytes = readFileSync(path);
  bytes.fill(0xff, bytes.length - 40_000, bytes.length - 20_000);
  writeFileSync(path, bytes);
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('a backup', () => {
  it('of a running bot contains what was committed, in one private file, and replaces an older copy', async () => {
    const { at, bot, backup } = await setUp();
    const store = await bot({ alone: true });
    await backup({ file: at('copies/bot.db') });
    await store.subscriptions.add(subscription({ symbols: ['ETHUSDT'] }));
    await backup({ file: at('copies/bot.db') });
    expect(readdirSync(at('copies'))).toEqual(['bot.db']);
    expect(modeOf(at('copies/bot.db'))).toBe('600');
    const copy = await openStore(`file:${at('copies/bot.db')}`);
    expect(await copy.subscriptions.count()).toBe(1);
    await copy.close();
  });

  it('contains nothing of connected platforms, and a restore leaves those connected', async () => {
    const { at, urls, backup, restore } = await setUp();
    const store = await openStore(urls.bot, { alone: true });
    const kept = () => openConnections({ database: urls.bot, key: null, sealed: store.connections });
    await kept().put('pigeon', { token: 'a-token-that-nobody-may-read' });
    await backup({ file: at('copies/bot.db') });
    expect(readdirSync(at('copies'))).toEqual(['bot.db']);
    expect(readFileSync(at('copies/bot.db'), 'latin1')).not.toContain('a-token-that-nobody');
    await store.close();
    await restore({ file: at('copies/bot.db') });
    expect((await kept().read()).given).toEqual({ pigeon: { token: 'a-token-that-nobody-may-read' } });
  });

  it('includes the archive if it is named', async () => {
    const { at, urls, bot, backup, restore } = await setUp();
    await bot();
    const row = { symbol: 'BTCUSDT', time: start, rate: 0.0001 };
    const archive = await openArchive(urls.archive);
    await archive.write('funding', [row]);
    await backup({ file: at('bot.copy'), archive: at('archive.copy') });
    await archive.close();
    await restore({ archive: at('archive.copy') });
    const again = await openArchive(urls.archive);
    expect(await again.read('funding', { symbol: 'BTCUSDT', window: { from: start, to: start } })).toEqual([
      row,
    ]);
    await again.close();
  });

  it('of a file on a full disk goes to another one, and comes back from a full one', async () => {
    const { at, bot, backup, restore } = await setUp();
    const store = await openStore(`file:${at('data/bot.db')}`);
    fillDisk(at('data'));
    await backup({ file: at('copies/bot.db') });
    await store.close();
    vi.restoreAllMocks();
    fillDisk(at('copies'));
    await restore({ file: at('copies/bot.db') });
    await (await bot()).ping();
  });

  it('is refused if there is no SQLite file of Tocsin to copy, or if it would overwrite something', async () => {
    const { at, bot, backup } = await setUp();
    await expect(backup({ file: at('copy') })).rejects.toThrow(/bot\.db is not there/);
    await bot();
    await expect(backup({})).rejects.toThrow(/^No file is named: give -- FILE/);
    await expect(backup({ file: at('data/bot.db') })).rejects.toThrow(/needs a file of its own/);
    await expect(backup({ file: at('data') })).rejects.toThrow(/is a folder/);
    const elsewhere = await setUp('postgres://me:p%40ss@127.0.0.1/x');
    const refused = elsewhere.backup({ file: at('copy') });
    await expect(refused).rejects.toThrow(/pg_dump --format=custom .*"npm run restore -- --mark"/);
    await expect(refused).rejects.not.toThrow(/p%40ss/);
  });
});

describe('a restore', () => {
  it('keeps the replaced database, including its -wal file, and marks waiting messages as doubtful', async () => {
    const { at, urls, said, backup, restore, watchlist } = await setUp();
    const store = await openStore(urls.bot);
    const set = (symbols: string[]) =>
      store.change({ receiver: receiver(), who: 'ada', person: null, at: start }, async (change) => {
        await change.watchlist.set(receiver(), symbols);
      });
    await set(['BTCUSDT']);
    await enqueued(store, firing());
    await backup({ file: at('copy') });
    await set(['ETHUSDT']);
    // As after a kill: the last change is only in the -wal file.
    for (const end of ['', '-wal']) copyFileSync(at(`data/bot.db${end}`), at(`killed${end}`));
    await store.close();
    for (const end of ['', '-wal']) copyFileSync(at(`killed${end}`), at(`data/bot.db${end}`));

    await restore({ file: at('copy') });
    expect(await watchlist()).toEqual(['BTCUSDT']);
    expect(modeOf(at('data/bot.db'))).toBe('600');
    expect(said.join('')).toMatch(
      /what stood there is .*before-2026-01-01T00-00-00-000Z\n1 posts waited to be sent/,
    );
    const before = await openStore(`file:${at('data/bot.db.before-2026-01-01T00-00-00-000Z')}`);
    expect(await before.watchlist.of(receiver())).toEqual(['ETHUSDT']);
    await before.close();
  });

  it('counts what will come again: posts in the outbox, and alerts that are still to be handed on', async () => {
    const { at, urls, said, backup, restore } = await setUp();
    const store = await openStore(urls.bot);
    const alert = firing({ symbol: 'BTCUSDT' });
    await enqueued(store, alert, receiver('a'));
    await enqueued(store, alert, receiver('b'));
    const announce = (one: typeof alert) =>
      store.dispatch(async (unit) => {
        const kept = { alert: one, group: alert.id, due: start, heldBy: null };
        await unit.save(kept);
        await unit.announce(kept);
      });
    // Two revisions of one alert that nobody has been handed yet.
    await announce(next(alert, { status: 'updated' }, start));
    await announce(next(next(alert, { status: 'updated' }, start), { status: 'resolved' }, start));
    await store.close();
    await backup({ file: at('copy') });
    said.length = 0;
    await restore({ file: at('copy') });
    expect(said.join('')).toContain(
      '2 posts waited to be sent, and 1 alerts had yet to be handed on to their chats;',
    );
  });

  it('is refused while a bot uses the file, which stays unchanged', async () => {
    const { at, bot, backup, restore } = await setUp();
    const store = await bot({ alone: true });
    await backup({ file: at('copy') });
    const names = readdirSync(at('data'));
    await expect(restore({ file: at('copy') })).rejects.toThrow(
      `in use by process ${process.pid}: stop that process`,
    );
    await expect(restore({ mark: true })).rejects.toThrow(
      `in use by process ${process.pid}: stop that process`,
    );
    expect(readdirSync(at('data'))).toEqual(names);
    await store.ping();
  });

  it('of two databases replaces neither if one cannot be', async () => {
    const { at, urls, bot, backup, restore } = await setUp();
    await bot();
    await backup({ file: at('copy') });
    const names = readdirSync(at('data'));
    const both = { file: at('copy'), archive: at('archive.copy') };
    await expect(restore(both)).rejects.toThrow(/archive\.copy is not there/);
    const archive = await openDatabase(urls.archive, { migrations: archiveTables, alone: true });
    onTestFinished(() => archive.close());
    await backup({ archive: both.archive });
    await expect(restore(both)).rejects.toThrow(/archive\.db is in use/);
    const isNew = (name: string) => !name.startsWith('archive') && !names.includes(name);
    expect(readdirSync(at('data')).filter(isNew)).toEqual([]);
  });

  it.each<[string, (path: string) => void, RegExp]>([
    ['what is not there', () => {}, /is not there: is the path right/],
    ['what is no database', (path) => writeFileSync(path, 'x'.repeat(5_000)), /file is not a database/],
    ['an empty file', (path) => writeFileSync(path, ''), /is empty: it is no database of Tocsin/],
    [
      'another program’s database',
      (path) => new DatabaseSync(path).exec('create table other (a)'),
      /belongs to something else \(it has a table "other"\)/,
    ],
    [
      'a newer version’s',
      (path) =>
        new DatabaseSync(path).exec(
          "create table kysely_migration (name text); insert into kysely_migration values ('2099-01-01-later')",
        ),
      /was last used by a newer Tocsin/,
    ],
  ])('of %s is refused, and the existing database stays', async (_, make, expected) => {
    const { at, bot, restore } = await setUp();
    await (await bot()).subscriptions.add(subscription());
    const before = readFileSync(at('data/bot.db'));
    make(at('copy'));
    await expect(restore({ file: at('copy') })).rejects.toThrow(expected);
    expect(readFileSync(at('data/bot.db')).equals(before)).toBe(true);
    expect(readdirSync(at('data')).filter((name) => /part|before/.test(name))).toEqual([]);
  });

  it('of a damaged copy is refused before any file is moved', async () => {
    const { at, bot, backup, restore } = await setUp();
    const store = await bot();
    for (let n = 0; n < 200; n++)
      await store.messages.put({ id: String(n), room: 'main', body: 'x'.repeat(500) });
    await backup({ file: at('copy') });
    damage(at('copy'));
    await expect(restore({ file: at('copy') })).rejects.toThrow();
    expect(readdirSync(at('data')).filter((name) => /part|before/.test(name))).toEqual([]);
    expect(await store.messages.read('199', 'main')).toBeDefined();
  });

  it('of two databases replaces neither if the copy of one is damaged', async () => {
    const { at, urls, said, bot, backup, restore } = await setUp();
    await bot();
    const archive = await openArchive(urls.archive);
    const rows = Array.from({ length: 2_000 }, (_, index) => ({ time: start + index, rate: index }));
    await archive.write(
      'funding',
      rows.map((row) => ({ symbol: 'BTCUSDT', ...row })),
    );
    await archive.close();
    const both = { file: at('copy'), archive: at('archive.copy') };
    await backup(both);
    damage(both.archive);
    said.length = 0;
    await expect(restore(both)).rejects.toThrow(/archive\.copy is damaged/);
    expect(said).toEqual([]);
    expect(readdirSync(at('data')).filter((name) => /part|before/.test(name))).toEqual([]);
  });

  it('of Postgres is done by pg_restore and then marked, while no bot uses the database', async () => {
    const postgres = await startPostgres();
    const { said, bot, restore } = await setUp(await postgres.fresh());
    const store = await bot();
    await enqueued(store, firing());
    const lease = await store.leases.take('watch', { owner: 'host 7', ttl: 60_000 });
    await expect(restore({ mark: true })).rejects.toThrow('in use by host 7: stop every bot on it first');
    if (lease !== null) await store.leases.release(lease);
    await restore({ mark: true });
    expect(said.join('')).toMatch(/^1 posts waited/);
    await expect(restore({ mark: true, file: 'x' })).rejects.toThrow(/goes with no file/);
  });
});
