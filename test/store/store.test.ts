import { describe, expect, it } from 'vitest';
import { plainReader, say } from '#src/language/say.ts';
import { day } from '#src/runtime/units.ts';
import { firing, next, receiver, start, subscription } from '#test/support/alerts.ts';
import { onStores } from '#test/support/databases.ts';
import { eachStore, shownBy, stepsOf } from './steps.ts';

onStores('the store', (url) => {
  const store = eachStore(url);
  const { keep, expand, to, page, claim, announced } = stepsOf(store);

  describe('one transaction', () => {
    it('stores state, alert and dispatch together or not at all', async () => {
      await expect(
        store().dispatch(async (unit) => {
          await unit.saveState('funding-extreme', { state: { n: 1 }, now: start });
          await unit.save({ alert: firing(), group: 'g', due: start, heldBy: null });
          throw new Error('killed');
        }),
      ).rejects.toThrow('killed');
      expect(await store().detectors.state('funding-extreme')).toBeUndefined();
      expect(await store().alerts.firing()).toEqual([]);
    });

    it('refuses a second open episode of one fingerprint', async () => {
      await keep(firing());
      await expect(keep(firing({}, start + 1))).rejects.toThrow();
    });

    it('returns the open episode with its group, and nothing once it has ended', async () => {
      const alert = firing();
      await keep(alert, { group: 'g1' });
      const found = await store().dispatch((unit) => unit.findOpen(alert.fingerprint));
      expect(found).toEqual({ alert, group: 'g1', due: start, heldBy: null });
      await keep(next(alert, { status: 'resolved' }, start + 5));
      expect(await store().dispatch((unit) => unit.findOpen(alert.fingerprint))).toBeUndefined();
      expect((await store().alerts.recent(10)).map(({ status }) => status)).toEqual(['resolved']);
    });
  });

  describe('expansion', () => {
    it('pages through all subscriptions, each once, to the end', async () => {
      for (const name of ['a', 'b', 'c'])
        await store().subscriptions.add(subscription({ receiver: receiver(name) }));
      await keep(firing());
      const dispatch = await announced();
      const first = await page(dispatch, 2);
      expect(first.subscriptions).toHaveLength(2);
      await store().expansion.enqueue([{ dispatch, destinations: [] }], { next: first.next, now: start });
      const again = await announced();
      const second = await page(again, 2);
      const rooms = [first, second].flatMap((page) => page.subscriptions.map((s) => s.receiver.address.room));
      expect(rooms.sort()).toEqual(['a', 'b', 'c']);
      expect(second.next).toBeNull();
    });

    it('puts each revision into the outbox once per receiver, even if it is enqueued again', async () => {
      await keep(firing());
      const dispatch = await announced();
      await store().expansion.enqueue([{ dispatch, destinations: to(dispatch, receiver('a')) }], {
        next: { matcher: 1, receiver: '', subscription: 1 },
        now: start,
      });
      await store().expansion.enqueue(
        [{ dispatch, destinations: to(dispatch, receiver('a'), receiver('b')) }],
        { next: null, now: start },
      );
      expect((await store().outbox.backlog()).waiting).toBe(2);
      expect(await store().expansion.next()).toEqual([]);
    });

    it('hands on the own alerts of all places together, and any other only with its own post', async () => {
      const own = ['a', 'b', 'c'].map((rule) => ({
        ...firing({ kind: 'own-rule', symbol: rule }),
        only: receiver(rule),
      }));
      for (const alert of own) await keep(alert);
      await keep(firing({ symbol: 'ETHUSDT' }));
      await keep(firing({ symbol: 'SOLUSDT' }));
      const handedOn: unknown[] = [];
      for (let ids = await store().expansion.next(); ids.length > 0; ids = await store().expansion.next()) {
        const alerts = await store().expansion.read(ids);
        handedOn.push(
          alerts.map(({ alert: { only, labels } }) => only?.address.room ?? labels.symbol).sort(),
        );
        await store().expansion.drop(ids);
      }
      // All are of one moment, so which comes first is the database's choice.
      expect(handedOn.sort()).toEqual([['ETHUSDT'], ['SOLUSDT'], ['a', 'b', 'c']]);
    });
  });

  describe('a receiver', () => {
    const guild = { notifier: 'discord', address: { channelId: '1', guildId: '42' } };

    it('is found by a field of its address, and only by the whole value', async () => {
      await store().subscriptions.add(subscription({ receiver: guild }));
      await store().subscriptions.add(subscription({ receiver: guild, symbols: ['BTCUSDT'] }));
      expect(await store().receivers.find({ notifier: 'discord', field: 'guildId', value: '42' })).toEqual([
        guild,
      ]);
      expect(await store().receivers.find({ notifier: 'discord', field: 'guildId', value: '4' })).toEqual([]);
      expect(await store().receivers.find({ notifier: 'discord', field: 'guildId', value: '%' })).toEqual([]);
      expect(await store().receivers.find({ notifier: 'telegram', field: 'guildId', value: '42' })).toEqual(
        [],
      );
    });

    it('that is resting gets nothing, and is unchanged when woken', async () => {
      await store().subscriptions.add(subscription({ receiver: guild }));
      await keep(firing());
      const dispatch = await announced();
      await store().receivers.suspend([guild], { at: start, wall: 0, reason: 'removed' });
      expect((await page(dispatch, 10)).subscriptions).toEqual([]);
      expect(
        await store().receivers.suspended({ notifier: 'discord', field: 'guildId', value: '42' }),
      ).toEqual([guild]);
      expect(
        await store().receivers.suspended({ notifier: 'discord', field: 'guildId', value: '4' }),
      ).toEqual([]);
      await store().receivers.wake([guild], start + 1);
      await store().receivers.wake([guild], start + 1);
      expect((await page(dispatch, 10)).subscriptions).toHaveLength(1);
      const audit = (await store().audit.of(guild, 5)).map(
        ({ who, what }) => `${who}: ${say(what, plainReader)}`,
      );
      expect(audit).toEqual([
        'Tocsin: Alerts here are back: the bot may post again',
        'Tocsin: Alerts here are on hold until the bot may post again: removed',
      ]);
    });

    it('that has rested for 30 days is forgotten', async () => {
      await store().subscriptions.add(subscription({ receiver: guild }));
      await store().receivers.suspend([guild], { at: start, wall: 0, reason: 'removed' });
      await store().prune({ now: 0, before: 0, requests: 0, record: 0, wall: 30 * day - 1 });
      expect(await store().subscriptions.of(guild)).toHaveLength(1);
      await store().prune({ now: 0, before: 0, requests: 0, record: 0, wall: 30 * day });
      expect(await store().subscriptions.of(guild)).toEqual([]);
    });
  });

  it('of every place with subscriptions it counts what was delivered there since a time, none twice', async () => {
    for (const name of ['a', 'b', 'c', 'a'])
      await store().subscriptions.add(subscription({ receiver: receiver(name) }));
    await keep(firing());
    await expand([receiver('a'), receiver('b'), receiver('without a subscription')]);
    const reason = { code: 'not_delivered', text: 'refused' } as const;
    for (const one of await claim({ count: 10 }))
      await store().outbox.settle([
        one.receiver.address.room === 'b'
          ? { kind: 'failed', claim: one, at: start, reason }
          : { kind: 'sent', claim: one, at: start + 7, reference: 'm1', shown: shownBy(one), note: null },
      ]);
    const a = { receiver: receiver('a'), last: start + 7, sent: 1, failed: 0 };
    const b = { receiver: receiver('b'), last: null, sent: 0, failed: 1 };
    const none = { last: null, sent: 0, failed: 0 };
    const places = store().deliveries.places;
    const all = await places({ since: start, limit: 9 });
    expect(all).toHaveLength(3);
    expect(all).toEqual(expect.arrayContaining([a, b, { ...none, receiver: receiver('c') }]));
    expect(await places({ since: start, limit: 2 })).toEqual(all.slice(0, 2));
    expect(await places({ since: start + 1, limit: 9 })).toContainEqual({ ...b, failed: 0 });
    expect(await places({ since: start + 8, limit: 9 })).toContainEqual({ ...a, ...none });
  });

  it('old alerts are deleted with their posts and deliveries, page by page, and later ones are kept', async () => {
    const many = Array.from({ length: 1_100 }, (_, n) => receiver(n));
    await keep(firing());
    await expand(many);
    const all = await claim({ count: 2_000 });
    const told = { kind: 'sent', at: start, reference: 'm1', note: null } as const;
    await store().outbox.settle(all.map((one) => ({ ...told, claim: one, shown: shownBy(one) })));
    await keep(next(firing(), { status: 'resolved' }, start), { announce: false });
    await store().prune({ now: 0, before: start, requests: 0, record: 0, wall: 0 });
    expect(await store().deliveries.latest(2_000)).toHaveLength(1_100);
    await store().prune({ now: 0, before: start + 1, requests: 0, record: 0, wall: 0 });
    expect(await store().deliveries.latest(2_000)).toEqual([]);
    await keep(firing({}, start + 2), { group: firing().id });
    await expand([receiver(0)], start + 2);
    expect((await claim({ now: start + 2 }))[0]?.post).toBeUndefined();
  });

  it('one receiver cannot remove a subscription of another', async () => {
    const own = await store().subscriptions.add(subscription({ receiver: receiver('a') }));
    expect(await store().subscriptions.remove(own.id, receiver('b'))).toBe(false);
    expect(await store().subscriptions.remove(own.id, receiver('a'))).toBe(true);
    expect(await store().subscriptions.remove(own.id, receiver('a'))).toBe(false);
  });

  it('symbols are listed by how many subscriptions want them, the most wanted first', async () => {
    await store().subscriptions.add(subscription({ symbols: ['ETHUSDT'] }));
    await store().subscriptions.add(subscription({ symbols: ['BTCUSDT', 'ETHUSDT'] }));
    await store().subscriptions.add(subscription({ symbols: ['*'] }));
    expect(await store().subscriptions.symbols()).toEqual(['ETHUSDT', 'BTCUSDT']);
  });

  const take = (key: string, at: number, most = 9) =>
    store().requests.take(key, { at, since: 0, until: 1_000, most });

  it('requests with one key are counted within the window, up to the limit', async () => {
    expect([await take('k', 100), await take('k', 200, 2), await take('k', 300, 2)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(await take('other', 200, 1)).toBe(true);
    expect(await store().requests.load('k', 100)).toEqual([200]);
  });

  it('simultaneous requests do not exceed the limit', async () => {
    const taken = await Promise.all(Array.from({ length: 12 }, (_, n) => take('k', n + 1, 5)));
    expect(taken.filter(Boolean)).toHaveLength(5);
    expect(await store().requests.load('k', 0)).toHaveLength(5);
  });

  it('requests older than their own horizon are deleted', async () => {
    await take('k', 100);
    await take('k', 200);
    await store().prune({ now: 0, before: 0, requests: 200, record: 0, wall: 0 });
    expect(await store().requests.load('k', 0)).toEqual([200]);
  });

  it('a message with the same id is replaced without changing its position', async () => {
    await store().messages.put({ id: '1', room: 'main', body: 'first' });
    await store().messages.put({ id: '2', room: 'main', body: 'second' });
    await store().messages.put({ id: '1', room: 'main', body: 'first, edited' });
    expect((await store().messages.recent('main', 10)).map(({ body }) => body)).toEqual([
      'first, edited',
      'second',
    ]);
    expect(await store().messages.read('1', 'main')).toBe('first, edited');
    expect(await store().messages.read('1', 'desk')).toBeUndefined();
  });
});
