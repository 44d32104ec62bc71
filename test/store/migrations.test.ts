import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Alert, revise } from '#src/alert/alert.ts';
import { receiverKey } from '#src/alert/subscription.ts';
import { openDatabase } from '#src/database/open.ts';
import { openStore } from '#src/store/open.ts';
import { alertRow, subscriptionRow } from '#src/store/rows.ts';
import { migrations, type Tables } from '#src/store/tables.ts';
import { receiver, subscription } from '#test/support/alerts.ts';

it('an alert that was open before peaks were stored continues after the update', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-migrations-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const url = `file:${join(folder, 'bot.db')}`;
  const annotations = { title: 'It begins', summary: 'Far out', facts: [], dataTime: 1 };
  const change = { labels: { kind: 'k', symbol: 'S' }, severity: 'warning', annotations } as const;
  const {
    event: _,
    end: __,
    ...earlier
  } = revise(undefined, { change: { ...change, status: 'firing' }, now: 1 }) as Alert;

  const older = (name: string) => name < '2026-11-22-told-at-peak';
  const before = await openDatabase<Tables>(url, {
    migrations: (dialect) =>
      Object.fromEntries(Object.entries(migrations(dialect)).filter(([name]) => older(name))),
  });
  const row = alertRow({ alert: earlier as Alert, group: 'g', due: 1, heldBy: null });
  await before.db.insertInto('alert').values(row).execute();
  await before.close();

  const store = await openStore(url);
  onTestFinished(() => store.close());
  const [open] = await store.alerts.recent(1);
  expect(open).toEqual({ ...earlier, event: annotations, end: null });
  expect(revise(open, { change: { ...change, status: 'resolved' }, now: 2 })?.annotations).toEqual(
    annotations,
  );
});

it('subscriptions from before the table of matchers existed are found through it after the update', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-migrations-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const url = `file:${join(folder, 'bot.db')}`;
  const before = await openDatabase<Tables>(url, {
    migrations: (dialect) =>
      Object.fromEntries(
        Object.entries(migrations(dialect)).filter(([name]) => name < '2026-11-27-matchers'),
      ),
  });
  const given = [
    ['a', ['BTCUSDT'], 0],
    ['b', ['BTCUSDT'], 0],
    ['c', ['watchlist', 'ETHUSDT'], 0],
    ['d', ['watchlist'], 0],
    ['e', ['XRPUSDT'], 1],
  ] as const;
  for (const [name, symbols, paused] of given) {
    const { file: _, ...row } = subscriptionRow(
      subscription({ receiver: receiver(name), symbols }),
      receiverKey,
    );
    await before.db
      .insertInto('subscription')
      .values({ id: name, ...row, paused } as never)
      .execute();
  }
  const follows = { receiver: receiverKey(receiver('c')), symbols: '["SOLUSDT"]' };
  await before.db.insertInto('watchlist').values(follows).execute();
  await before.close();

  const store = await openStore(url);
  onTestFinished(() => store.close());
  expect(await store.subscriptions.symbols()).toEqual(['BTCUSDT', 'ETHUSDT', 'SOLUSDT']);
  const { subscriptions, next } = await store.expansion.page(
    { matcher: 0, subscription: 0 },
    { size: 9, wants: () => true },
  );
  expect(next).toBeNull();
  expect(Object.fromEntries(subscriptions.map(({ id, symbols }) => [id, symbols]))).toEqual({
    a: ['BTCUSDT'],
    b: ['BTCUSDT'],
    c: ['ETHUSDT', 'SOLUSDT'],
    d: [],
  });
});
