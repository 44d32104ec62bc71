import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Dialect, Migrations } from '#src/database/database.ts';
import { openDatabase, openToRead } from '#src/database/open.ts';
import { day, hour } from '#src/runtime/units.ts';
import { migrations as archiveMigrations } from '#src/service/archive/migrations.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { openStore } from '#src/store/open.ts';
import { migrations as botMigrations } from '#src/store/tables.ts';
import { firing, receiver, start } from '#test/support/alerts.ts';

/**
 * The migrations that have run on people's databases: none may be renamed, reordered or changed. A new one is added at the end
 * with a name that sorts after all others, because a database that has run a later name refuses an earlier one.
 */
const ran = {
  bot: [
    '2026-11-21-first',
    '2026-11-22-outage',
    '2026-11-22-pointers',
    '2026-11-22-told-at-peak',
    '2026-11-22-urgent-dispatch',
    '2026-11-23-attention',
    '2026-11-23-chain',
    '2026-11-23-queue',
    '2026-11-24-missing',
    '2026-11-24-restored',
    '2026-11-25-order',
    '2026-11-25-plain-names',
    '2026-11-26-doubtful-rows',
    '2026-11-26-rule-shards',
    '2026-11-27-matchers',
    '2026-11-28-api-keys',
    '2026-11-28-hooks',
    '2026-11-29-files',
    '2026-11-30-statistics',
    '2026-12-01-moved',
    '2026-12-02-filed-watchlists',
    '2026-12-03-receiver-order',
    '2026-12-04-hook-bodies',
    '2026-12-05-ledgers',
  ],
  archive: [
    '001_archive',
    '002_access',
    '003_venues',
    '004_audits',
    '005_services',
    '006_venue_funding',
    '007_broad_dollar',
    '008_market_regimes',
  ],
};
/** How many migrations the stored databases of the first version have run. */
const released = { bot: 4, archive: 2 };
const all = { bot: botMigrations, archive: archiveMigrations };
const databases = ['bot', 'archive'] as const;

describe.each(databases)('migrations of the %s’s database', (which) => {
  test.each<Dialect>(['sqlite', 'postgres'])('are those that have run, in the same order: %s', (dialect) => {
    expect(Object.keys(all[which](dialect))).toEqual(ran[which]);
    // Migrations are applied in the order of their names.
    expect(ran[which]).toEqual(ran[which].toSorted());
  });
});

const stored = join(import.meta.dirname, '../fixtures/databases');
const versions = readdirSync(stored, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

/** Unpacks the stored database of a version and returns its URL. */
async function unpacked(version: string, which: (typeof databases)[number]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-frozen-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, `${which}.db`);
  await writeFile(path, gunzipSync(readFileSync(join(stored, version, `${which}.db.gz`))), { mode: 0o600 });
  return `file:${path}`;
}

async function tablesIn(url: string) {
  const database = await openToRead<unknown>(url);
  const { rows } = await sql`select name, sql from sqlite_master order by name`.execute(database.db);
  await database.close();
  return rows;
}

test('there is a stored database', () => expect(versions).toContain('0.1.0'));

describe.each(versions)('a database of version %s', (version) => {
  test.each(databases)('the %s’s has the tables of a new one after the upgrade', async (which) => {
    const [old, fresh] = [await unpacked(version, which), await unpacked(version, which)];
    await rm(fresh.slice('file:'.length));
    for (const url of [old, fresh]) await (await openDatabase(url, { migrations: all[which] })).close();
    expect(await tablesIn(old)).toEqual(await tablesIn(fresh));
  });

  test.each(databases)('the %s’s frozen migrations create the same tables as then', async (which) => {
    const url = await unpacked('0.1.0', which);
    const then = await tablesIn(url);
    const again = `${url}.again`;
    const only = (dialect: Dialect): Migrations =>
      Object.fromEntries(Object.entries(all[which](dialect)).slice(0, released[which]));
    await (await openDatabase(again, { migrations: only })).close();
    expect(await tablesIn(again)).toEqual(then);
  });

  test.each(databases)(
    'the %s’s returns deleted space to the disk from its first start on',
    async (which) => {
      const url = await unpacked(version, which);
      const { db, shrink, close } = await openDatabase(url, { migrations: all[which], alone: true });
      onTestFinished(close);
      const size = async () => {
        await sql`pragma wal_checkpoint(truncate)`.execute(db);
        return statSync(url.slice('file:'.length)).size;
      };
      await sql`create table filling as
      with recursive rows (n) as (select 1 union all select n + 1 from rows where n < 3000)
      select randomblob(4000) as filled from rows`.execute(db);
      const full = await size();
      expect(full).toBeGreaterThan(3_000 * 4_000);
      await sql`drop table filling`.execute(db);
      await shrink();
      expect(await size()).toBeLessThan(full / 2);
    },
  );

  test('without space to be rewritten it starts as it is', async () => {
    const url = await unpacked(version, 'bot');
    const { prepare } = DatabaseSync.prototype;
    vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, text) {
      if (text === 'vacuum') throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
      return prepare.call(this, text);
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const store = await openStore(url, { alone: true });
    onTestFinished(() => store.close());
    expect(await store.watchlist.of(receiver())).toEqual(['BTCUSDT']);
  });

  test('the bot continues with its stored state', async () => {
    const store = await openStore(await unpacked(version, 'bot'), { alone: true });
    onTestFinished(() => store.close());
    expect(await store.subscriptions.of(receiver())).toMatchObject([{ kinds: ['funding-extreme'] }]);
    expect(await store.watchlist.of(receiver())).toEqual(['BTCUSDT']);
    expect(await store.silences.of(receiver(), start)).toMatchObject([{ symbols: ['ETHUSDT'] }]);
    expect(await store.alerts.firing()).toMatchObject([
      { id: expect.any(String), labels: firing().labels, newsRevision: 1 },
    ]);
    expect(await store.detectors.state('funding-extreme')).toEqual({ n: 1 });
    expect(await store.expansion.next()).toBeDefined();
  });

  test('the archive continues with its stored data', async () => {
    const archive = await openArchive(await unpacked(version, 'archive'));
    onTestFinished(() => archive.close());
    const span = { from: start - hour, to: start + hour };
    expect(await archive.read('funding', { symbol: 'BTCUSDT', window: span })).toEqual([
      { symbol: 'BTCUSDT', time: start, rate: 0.0001 },
    ]);
    expect(await archive.feeds()).toMatchObject([{ feed: 'funding', lastUpdate: start }]);
  });
});

test('the broad dollar of an earlier archive has the time of its publication after the upgrade', async () => {
  const url = await unpacked('0.1.0', 'archive');
  const before = (dialect: Dialect): Migrations =>
    Object.fromEntries(Object.entries(archiveMigrations(dialect)).filter(([name]) => name < '007'));
  const database = await openDatabase<unknown>(url, { migrations: before });
  // Stamped with the end of their days, on two days that are eight days apart.
  for (const date of [2, 10])
    await sql`insert into observations (symbol, time, value)
      values ('broad_dollar', ${Date.UTC(2026, 0, date)}, ${date})`.execute(database.db);
  await database.close();
  const archive = await openArchive(url);
  onTestFinished(() => archive.close());
  const window = { from: 0, to: Date.UTC(2027, 0) };
  expect(await archive.read('observations', { symbol: 'broad_dollar', window })).toEqual([
    { symbol: 'broad_dollar', time: Date.UTC(2026, 0, 10), value: 2 },
    { symbol: 'broad_dollar', time: Date.UTC(2026, 0, 18), value: 10 },
  ]);
});

test('the regimes of an earlier archive are bitcoin’s after the upgrade, as they were published', async () => {
  const url = await unpacked('0.1.0', 'archive');
  const before = (dialect: Dialect): Migrations =>
    Object.fromEntries(Object.entries(archiveMigrations(dialect)).filter(([name]) => name < '008'));
  const database = await openDatabase<unknown>(url, { migrations: before });
  const begins = Date.UTC(2026, 0, 1);
  const labels = [
    ['RISK_ON', 'MARKUP'],
    ['TRANSITION', 'DISTRIBUTION'],
    ['RISK_OFF', 'DISTRIBUTION'],
    ['TRANSITION', 'ACCUMULATION'],
  ] as const;
  for (const [index, [state, label]] of labels.entries())
    await sql`insert into regimes values (${begins + index * hour}, ${state}, ${label}, 0.5, 0.25, 0.25, 25, 1.125,
      'LOW_VOL', 12.5, 'drift-hmm-3/built-in')`.execute(database.db);
  await database.close();
  const archive = await openArchive(url);
  onTestFinished(() => archive.close());
  const window = { from: begins, to: begins + day };
  const rows = await archive.read('regimes', { symbol: 'BTCUSDT', window });
  expect(rows.map(({ state, trend }) => [state, trend])).toEqual([
    [1, 1],
    [0, 1],
    [-1, -1],
    [0, -1],
  ]);
  expect(rows[0]).toMatchObject({ riskOn: 0.5, riskOff: 0.25, volatilityPercentile: 12.5, model: 0 });
});
