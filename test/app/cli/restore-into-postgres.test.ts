import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runBackup, runRestore } from '#src/app/cli/backup.ts';
import type { Config } from '#src/app/config/config.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { openStore } from '#src/store/open.ts';
import type { Store } from '#src/store/ports.ts';
import { firing, receiver, start, subscription } from '#test/support/alerts.ts';
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
  const configOf = (database: string, archive: string) =>
    ({ database, data: { embedded: { archive } } }) as Pick<Config, 'database' | 'data'>;
  const said: string[] = [];
  const print = async (text: string) => void said.push(text);
  const none = { file: undefined, archive: undefined, print };
  const to = await postgres.fresh();
  return {
    at,
    urls,
    said,
    to,
    /** Copies what is named from SQLite. */
    backup: (given: { file?: string; archive?: string }) =>
      runBackup({ ...none, config: configOf(urls.bot, urls.archive), ...given }),
    /** Restores what is named into Postgres. */
    restore: (given: { file?: string; archive?: string }, archiveTo = to) =>
      runRestore({ ...none, config: configOf(to, archiveTo), mark: false, now: start, ...given }),
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

describe('a copy from SQLite, restored into Postgres', () => {
  it('is there as a whole, what waits in doubt, and leaves the copy and the file unchanged', async () => {
    const { at, said, to, backup, restore, bot, urls } = await setUp();
    await bot(live);
    await backup({ file: at('copy') });
    const before = readFileSync(at('copy'));
    await restore({ file: at('copy') });
    expect(readFileSync(at('copy')).equals(before)).toBe(true);
    expect(readdirSync(at('')).toSorted()).toEqual(['copy', 'data']);
    expect(said.join('')).toMatch(/copy again, with \d+ rows in Postgres\n2 posts waited to be sent/);
    const waiting = async (url: string, doubted: boolean) => {
      const store = await openStore(url);
      onTestFinished(() => store.close());
      const claims = await claimsOf(store, { now: start });
      expect(claims.map(({ postInDoubt: doubt }) => doubt !== null)).toEqual([doubted, doubted]);
      return claims.map(({ key, rows, alerts }) => ({ key, rows, alerts }));
    };
    expect(await waiting(to, true)).toEqual(await waiting(urls.bot, false));
    await bot(async (store) => {
      expect(await store.readings.page('m', { feed: 'f', window: { from: 0, to: start }, limit: 1 })).toEqual(
        [{ at: start, readings: { z: [0.1, -2.5e-7] } }],
      );
      expect(await store.outcomes.prices('m', { symbol: 'BTCUSDT', since: 0 })).toMatchObject([
        { price: 27_123.45 },
        { price: 0.1 + 0.2 },
      ]);
    }, to);
  });

  it('gives no id of a deleted row again', async () => {
    const { at, to, backup, restore, bot } = await setUp();
    await bot(live);
    await backup({ file: at('copy') });
    await restore({ file: at('copy') });
    await bot(async (store) => void (await store.subscriptions.add(subscription())), to);
    const [row] = await query(to, 'select max(seq)::text as last, count(*)::text as n from subscription');
    expect(row).toEqual({ last: '42', n: '41' });
  });

  it('that fails in the middle leaves nothing there, and can be repeated', async () => {
    const { at, to, backup, restore, bot } = await setUp();
    await bot(live);
    await backup({ file: at('copy') });
    await bot(async () => {}, to);
    await query(
      to,
      `create function full_disk() returns trigger as $$ begin raise exception 'full'; end $$ language plpgsql;
       create trigger full_disk before insert on subscription for each row when (new.seq = 23) execute function full_disk()`,
    );
    await expect(restore({ file: at('copy') })).rejects.toThrow('full');
    const rows = 'select (select count(*) from subscription)::int + (select count(*) from alert)::int as n';
    expect(await query(to, rows)).toEqual([{ n: 0 }]);
    await query(to, 'drop trigger full_disk on subscription');
    await restore({ file: at('copy') });
    expect(await query(to, 'select count(*)::int as n from subscription')).toEqual([{ n: 40 }]);
  });

  it('of the archive works the same way, with text that Postgres cannot hold', async () => {
    const { at, urls, to, backup, restore } = await setUp();
    const archive = await openArchive(urls.archive);
    const row = { symbol: 'BTCUSDT', time: start, rate: 0.0001 };
    await archive.write('funding', [row, { ...row, symbol: 'A\0B', time: start + 1, rate: 1 }]);
    await archive.close();
    await backup({ archive: at('copy') });
    await restore({ archive: at('copy') });
    const there = await openArchive(to);
    onTestFinished(() => there.close());
    const window = { from: start, to: start + 1 };
    expect(await there.read('funding', { symbol: 'BTCUSDT', window })).toEqual([row]);
    expect(await there.read('funding', { symbol: 'A\ufffdB', window })).toHaveLength(1);
  });

  it('is refused where a bot uses the database, where there are rows, and where both would go to one', async () => {
    const { at, to, backup, restore, bot } = await setUp();
    await bot(live);
    await backup({ file: at('copy') });
    const store = await openStore(to);
    onTestFinished(() => store.close());
    const lease = await store.leases.take('watch', { owner: 'host 7', ttl: 60_000 });
    await expect(restore({ file: at('copy') })).rejects.toThrow(
      'in use by host 7: stop every bot on it first',
    );
    if (lease !== null) await store.leases.release(lease);
    await expect(restore({ file: at('copy') })).rejects.toThrow(/is not empty \(it has rows in "lease"\)/);
    await expect(restore({ file: at('copy'), archive: at('other') })).rejects.toThrow(/of its own/);
  });
});
