import { beforeEach, expect, it } from 'vitest';
import type { Alert } from '#src/alert/alert.ts';
import { createAlertFeed } from '#src/app/console/alert-feed.ts';
import { plainReader } from '#src/language/say.ts';
import { realTime } from '#src/runtime/clock.ts';
import { minute } from '#src/runtime/units.ts';
import type { Store } from '#src/store/ports.ts';
import { firing, next, receiver, start } from '#test/support/alerts.ts';
import { onStores } from '#test/support/databases.ts';
import { ownStore } from '#test/support/own-store.ts';
import { claimOf } from '#test/support/posting.ts';

onStores('the log of alerts', (url) => {
  let store: Store;
  beforeEach(async () => {
    store = await ownStore(await url());
  });

  const save = (alert: Alert, heldBy: string | null = null) =>
    store.dispatch((unit) => unit.save({ alert, group: alert.id, due: alert.startsAt, heldBy }));
  const desk = { receiver: receiver('desk'), reader: plainReader, seesAllPlaces: true };
  const feed = (log = store.log) =>
    createAlertFeed({
      log,
      clock: () => realTime({ now: () => start }),
      source: () => 'simulated',
      shown: (each) => each,
      afterOf: async () => undefined,
    });

  it('is read page by page, newest first, with each alert once, even if several have the same time', async () => {
    for (let n = 0; n < 7; n += 1)
      await save(firing({ symbol: `M${n}USDT` }, start + Math.floor(n / 3) * minute));
    const seen: string[] = [];
    let before: { updatedAt: number; id: string } | undefined;
    for (;;) {
      const rows = await feed().page(desk, { limit: 2, before });
      seen.push(...rows.map(({ symbol }) => String(symbol)));
      before = rows.at(-1);
      if (before === undefined) break;
    }
    expect(seen[0]).toBe('M6USDT');
    expect(seen.toSorted()).toEqual(Array.from({ length: 7 }, (_, n) => `M${n}USDT`));
  });

  it('shows each alert at its peak and how it ended, and never an ended one as firing', async () => {
    const alert = firing({}, start);
    await save(
      next(
        alert,
        { status: 'resolved', annotations: { ...alert.annotations, title: 'It is over' } },
        start + minute,
      ),
    );
    const [row] = await feed().page(desk, { limit: 5 });
    expect(row).toMatchObject({
      title: alert.annotations.title,
      ending: 'It is over',
      status: 'resolved',
      endsAt: start + minute,
    });
    expect(await feed().page(desk, { limit: 5, firing: true })).toEqual([]);
  });

  it('hides alerts that are only for another place', async () => {
    await save(firing({ only: receiver('other') }));
    const own = firing({ only: receiver('desk'), symbol: 'ETHUSDT' });
    await save(own);
    expect((await feed().page(desk, { limit: 5 })).map(({ symbol }) => symbol)).toEqual(['ETHUSDT']);
    expect(await feed().life({ ...desk, receiver: receiver('third') }, own.id)).toBeUndefined();
  });

  it('shows why an alert was not sent: a broader alert, or what held it back', async () => {
    const broad = firing({ kind: 'liquidation-cascade', title: 'Cascade' });
    await save(broad);
    await save(firing({ symbol: 'ETHUSDT' }), broad.fingerprint);
    const silenced = firing({ symbol: 'SOLUSDT' });
    await save(silenced);
    const claim = await claimOf(store, silenced);
    await store.outbox.settle([
      { kind: 'suppressed', claim, at: start, reason: { code: 'silenced', text: 'it is silenced here' } },
    ]);
    const rows = new Map((await feed().page(desk, { limit: 9 })).map((row) => [row.symbol, row]));
    expect(rows.get('ETHUSDT')).toMatchObject({
      delivery: 'held',
      reason: 'a broader alert stands for it: Cascade',
    });
    expect(rows.get('SOLUSDT')).toMatchObject({ delivery: 'held', reason: 'it is silenced here' });
    const life = await feed().life(desk, silenced.id);
    expect(life?.deliveries).toMatchObject([{ outcome: 'suppressed', reason: 'it is silenced here' }]);
    const elsewhere = { ...desk, receiver: receiver('other'), seesAllPlaces: false };
    expect((await feed().life(elsewhere, silenced.id))?.deliveries).toEqual([]);
    expect(life?.states.map(({ state }) => state)).toEqual(['began']);
  });

  it('shows an alert as sent even if later alerts fill all the deliveries that are read', async () => {
    const told = firing({ symbol: 'ETHUSDT' });
    await save(told);
    const claim = await claimOf(store, told);
    await store.outbox.settle([{ kind: 'sent', claim, at: start, reference: 'm', shown: {}, note: null }]);
    await save(firing({ symbol: 'SOLUSDT' }, start + minute));
    const [one] = await store.log.deliveries([told], 1);
    if (one === undefined) throw new Error('there is no delivery');
    const later = { ...one, alertId: 'another' };
    const deliveries = async (_: unknown, limit: number) => Array.from({ length: limit }, () => later);
    const busy = feed({ ...store.log, deliveries });
    expect(await busy.page(desk, { limit: 5 })).toMatchObject([
      { symbol: 'SOLUSDT', delivery: 'waiting' },
      { symbol: 'ETHUSDT', delivery: 'sent' },
    ]);
    expect((await busy.life(desk, told.id))?.row.delivery).toBe('sent');
  });

  it('shows what has changed since a time', async () => {
    await save(firing({}, start));
    await save(firing({ symbol: 'ETHUSDT' }, start + minute));
    expect((await feed().changed(desk, start + 1)).map(({ symbol }) => symbol)).toEqual(['ETHUSDT']);
  });

  it('shows an alert again when it is known what became of its post', async () => {
    const silenced = firing({ symbol: 'SOLUSDT' });
    await save(silenced);
    const claim = await claimOf(store, silenced);
    const at = start + minute;
    await store.outbox.settle([
      { kind: 'suppressed', claim, at, reason: { code: 'silenced', text: 'it is silenced here' } },
    ]);
    expect(await feed().changed(desk, at)).toMatchObject([{ symbol: 'SOLUSDT', delivery: 'held' }]);
    expect(await feed().changed(desk, at + 1)).toEqual([]);
  });
});
