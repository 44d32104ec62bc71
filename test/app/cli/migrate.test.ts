import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runMigrate } from '#src/app/cli/migrate.ts';
import type { Config } from '#src/app/config/config.ts';
import { databaseProblem } from '#src/database/open.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { migrations as botTables } from '#src/store/migrations.ts';
import { openStore } from '#src/store/open.ts';
import type { Store } from '#src/store/ports.ts';
import { firing, receiver, start, subscription } from '#test/support/alerts.ts';
import { begin } from '#test/support/command-line.ts';
import { ownFolder } from '#test/support/folder.ts';
import { query, type Server, startPostgres } from '#test/support/postgres.ts';
import { claimsOf, enqueued, post } from '#test/support/posting.ts';

let postgres: Server;
beforeAll(async () => {
  postgres = await startPostgres();
});

async function setUp() {
  const folder = await ownFolder();
  const at = (name: string) => join(folder, name);
  const urls = { bot: `file:${at('data/bot.db')}`, archive: `file:${at('data/archive.db')}` };
  const config = {
    database: urls.bot,
    data: { embedded: { archive: urls.archive } },
  } as Pick<Config, 'database' | 'data'>;
  const said: string[] = [];
  let dieAfter = Number.POSITIVE_INFINITY;
  const print = async (text: string) => {
    said.push(text);
    if (said.length > dieAfter) throw new Error('killed');
  };
  return {
    folder,
    at,
    urls,
    said,
    to: await postgres.fresh(),
    migrate: (given: { to?: string; archiveTo?: string; rows?: number }) =>
      runMigrate({ config, to: undefined, archiveTo: undefined, print, ...given }),
    /** Makes the next move fail after it has printed this many lines. */
    killAfter(lines: number) {
      said.length = 0;
      dieAfter = lines;
    },
    async bot(work: (store: Store) => Promise<void>, url = urls.bot) {
      const store = await openStore(url, { alone: true });
      await work(store).finally(() => store.close());
    },
  };
}

/** Stores a little of every kind: text in three scripts, bytes, fractions, nulls, something sent, begun and waiting. */
async function live(store: Store): Promise<void> {
  await store.change({ receiver: receiver(), who: '阿达 "ñ"\\', person: null, at: start }, async (change) => {
    await change.watchlist.set(receiver(), ['BTCUSDT']);
  });
  for (let n = 0; n < 40; n += 1)
    await store.subscriptions.add(subscription({ receiver: receiver(n), symbols: [`S${n}USDT`] }));
  const last = await store.subscriptions.add(subscription({ receiver: receiver('last') }));
  await store.subscriptions.remove(last.id, receiver('last'));
  await store.readings.add('m', { feed: 'f', at: start, readings: { z: [0.1, -2.5e-7] } });
  await store.outcomes.addPrices('m', [
    { symbol: 'BTCUSDT', at: start, price: 27_123.45 },
    { symbol: 'BTCUSDT', at: start + 3_600_000, price: 0.1 + 0.2 },
  ]);
  for (let n = 0; n < 5; n += 1)
    await store.requests.take('k', { at: start, since: 0, until: start, most: 9 });
  await post(store, firing());
  await enqueued(store, firing({ symbol: 'ETHUSDT' }), receiver('b'));
  await enqueued(store, firing({ symbol: 'SOLUSDT' }), receiver('c'));
}

describe('a move to Postgres', () => {
  it('moves everything, shows counts and checksums, leaves the file unchanged, and doubts nothing', async () => {
    const { urls, at, said, to, migrate, bot } = await setUp();
    await bot(live);
    const before = readFileSync(at('data/bot.db'));
    await migrate({ to });
    expect(readFileSync(at('data/bot.db')).equals(before)).toBe(true);
    expect(readdirSync(at('data'))).toEqual(['bot.db', 'bot.db-lock']);
    expect(said.join('')).toMatch(/^ {2}subscription: 40 rows, checksum [0-9a-f]{12}$/m);
    expect(said.join('')).toMatch(/rows of \d+ tables are in Postgres.*\nSet TOCSIN_DATABASE_URL to that/);
    const waiting = async (url: string) => {
      const store = await openStore(url);
      onTestFinished(() => store.close());
      const claims = await claimsOf(store, { now: start });
      expect(claims.map(({ postInDoubt: doubt }) => doubt)).toEqual([null, null]);
      return claims.map(({ key, rows, alerts }) => ({ key, rows, alerts }));
    };
    expect(await waiting(to)).toEqual(await waiting(urls.bot));
  });

  it('does not reuse ids of deleted rows', async () => {
    const { to, migrate, bot } = await setUp();
    await bot(live);
    await migrate({ to });
    await bot(async (store) => void (await store.subscriptions.add(subscription())), to);
    const [row] = await query(to, 'select max(seq)::text as last, count(*)::text as n from subscription');
    expect(row).toEqual({ last: '42', n: '41' });
  });

  it('that is killed after any step continues there, and no bot opens the database before it is done', async () => {
    const { said, to, migrate, bot, killAfter } = await setUp();
    await bot(live);
    for (let tables = 0; ; tables += 6) {
      killAfter(tables);
      const ended = await migrate({ to, rows: 7 }).then(
        () => true,
        (error: Error) => error.message !== 'killed',
      );
      if (ended) break;
      if (/are in Postgres/.test(said.join(''))) continue;
      await expect(openStore(to)).rejects.toThrow(/run the same "npm run migrate" again/);
      expect(await databaseProblem(to, { migrations: botTables })).toMatchObject({
        message: expect.stringMatching(/holds a move that was broken off/),
      });
    }
    expect(said.join('')).toMatch(/are in Postgres|is in Postgres already/);
    const counted = await query(
      to,
      'select count(*)::int as n, count(distinct seq)::int as d from subscription',
    );
    expect(counted).toEqual([{ n: 40, d: 40 }]);
    expect(await query(to, 'select count(*)::int as n from request')).toEqual([{ n: 5 }]);
    await expect(bot(async () => {}, to)).resolves.toBeUndefined();
  });

  it('that failed in the middle of a table continues after the rows that were copied', async () => {
    const { to, migrate, bot } = await setUp();
    await bot(live);
    await bot(async () => {}, to);
    await query(
      to,
      `create function full_disk() returns trigger as $$ begin raise exception 'full'; end $$ language plpgsql;
       create trigger full_disk before insert on subscription for each row when (new.seq = 23) execute function full_disk()`,
    );
    await expect(migrate({ to, rows: 7 })).rejects.toThrow('full');
    const moved = "select moved::int from half_moved where name = 'subscription'";
    expect(await query(to, moved)).toEqual([{ moved: 21 }]);
    await query(to, 'drop trigger full_disk on subscription');
    await migrate({ to, rows: 7 });
    expect(await query(to, 'select count(*)::int as n from subscription')).toEqual([{ n: 40 }]);
  });

  it('from the command line that is killed while it writes continues there', async () => {
    const { folder, urls, to, migrate, bot, said } = await setUp();
    await bot(async (store) => {
      await live(store);
      await store.messages.put({ id: '1', room: 'main', body: 'x' });
    });
    // Existing empty tables are no obstacle. The lock keeps this one from being written until it is released.
    await bot(async () => {}, to);
    const holder = new pg.Client({ connectionString: to });
    await holder.connect();
    await holder.query('begin; lock table message in share mode');
    const child = await begin(folder, ['migrate', '--to', to], { TOCSIN_DATABASE_URL: urls.bot }, /lease: /);
    await child.kill();
    await holder.end();
    await expect(openStore(to)).rejects.toThrow(/run the same "npm run migrate" again/);
    await migrate({ to });
    expect(said.join('')).toMatch(/^ {2}message: 1 rows/m);
  });

  it('of the archive works the same way', async () => {
    const { urls, to, migrate } = await setUp();
    const archive = await openArchive(urls.archive);
    const row = { symbol: 'BTCUSDT', time: start, rate: 0.0001 };
    await archive.write('funding', [row, { ...row, time: start + 1, rate: 1 }]);
    await archive.close();
    await migrate({ archiveTo: to });
    const there = await openArchive(to);
    onTestFinished(() => there.close());
    expect(await there.read('funding', { symbol: 'BTCUSDT', window: { from: start, to: start } })).toEqual([
      row,
    ]);
  });

  it('that is complete is recognized, and a move into a used database is refused', async () => {
    const { said, to, migrate, bot } = await setUp();
    await bot(live);
    await migrate({ to });
    await migrate({ to });
    expect(said.at(-2)).toMatch(/is in Postgres already/);
    await bot(async (store) => void (await store.subscriptions.add(subscription())), to);
    await expect(migrate({ to })).rejects.toThrow(/is not empty \(it has rows in "\w+"\)/);
  });

  it('that was interrupted is not continued after a bot has used the file', async () => {
    const { to, migrate, bot, killAfter } = await setUp();
    await bot(live);
    killAfter(5);
    await expect(migrate({ to })).rejects.toThrow('killed');
    killAfter(100);
    await bot((store) => store.settings.put('x', 'y'));
    await expect(migrate({ to })).rejects.toThrow(
      /half-finished move of another database, or of this one before/,
    );
  });

  it('is refused while a bot uses the file or the database', async () => {
    const { to, migrate, bot } = await setUp();
    await bot(async () => {
      await expect(migrate({ to })).rejects.toThrow(`in use by process ${process.pid}: stop that process`);
    });
    const store = await openStore(to);
    onTestFinished(() => store.close());
    await store.leases.take('watch', { owner: 'host 7', ttl: 60_000 });
    await expect(migrate({ to })).rejects.toThrow('in use by host 7: stop every bot on it first');
  });

  it('is refused without a target or source, or between the wrong kinds of database', async () => {
    const { at, to, urls, migrate, bot } = await setUp();
    await expect(migrate({})).rejects.toThrow(/^Say where to: -- --to postgres:/);
    await expect(migrate({ to })).rejects.toThrow(/bot\.db is not there/);
    await bot(async () => {});
    await expect(migrate({ to: urls.archive })).rejects.toThrow(/goes to Postgres/);
    await expect(migrate({ to, archiveTo: to })).rejects.toThrow(/need a database of their own/);
    const config = { database: to, data: { embedded: { archive: at('a') } } } as Pick<
      Config,
      'database' | 'data'
    >;
    await expect(runMigrate({ config, to, archiveTo: undefined, print: async () => {} })).rejects.toThrow(
      /TOCSIN_DATABASE_URL names Postgres already/,
    );
  });
});
