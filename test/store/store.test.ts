import { beforeEach, describe, expect, it } from 'vitest';
import type { Alert } from '#src/alert/alert.ts';
import { type Receiver, receiverKey } from '#src/alert/subscription.ts';
import { plainReader, say } from '#src/language/say.ts';
import { day } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import type { Claim, Dispatch, Store } from '#src/store/store.ts';
import { firing, next, receiver, start, subscription } from '#test/support/alerts.ts';
import { onDatabases } from '#test/support/databases.ts';
import { nextDispatch } from '#test/support/posting.ts';

onDatabases('the store', (url) => {
  let store: Store;
  beforeEach(async () => {
    store = await openStore(await url());
    return () => store.close();
  });

  const keep = (alert: Alert, options: { announce?: boolean; group?: string } = {}) =>
    store.dispatch(async (unit) => {
      const kept = { alert, group: options.group ?? alert.id, due: alert.updatedAt, heldBy: null };
      await unit.save(kept);
      if (options.announce !== false) await unit.announce(kept);
    });

  const expand = async (receivers: readonly Receiver[], now = start) => {
    const dispatch = await nextDispatch(store);
    if (dispatch === undefined) throw new Error('nothing was announced');
    await store.expansion.enqueue([{ dispatch, destinations: to(dispatch, ...receivers) }], {
      next: null,
      now,
    });
  };

  const to = ({ group, due }: Dispatch, ...receivers: readonly Receiver[]) =>
    receivers.map((each) => ({ receiver: each, group, due }));

  const claim = (
    given: { now?: number; wall?: number; count?: number; lease?: number } = {},
  ): Promise<Claim[]> =>
    store.outbox.claim({ notifiers: ['web'], count: 10, now: start, wall: 0, lease: 1_000, ...given });

  const begin = (one: Claim, lease: number) =>
    store.outbox.settle([{ kind: 'begun', claim: one, at: start, lease, doubt: 'post' }]);

  const retry = (one: Claim, holdUntil: number, outage = false) =>
    ({
      kind: 'retry',
      ...{ claim: one, at: start, holdUntil, attempted: true, doubt: null, outage },
      holds: 'receiver',
      reason: { code: 'not_delivered', text: '503' },
    }) as const;

  const sent = (one: Claim, reference = 'm1') =>
    store.outbox.settle([
      {
        kind: 'sent',
        claim: one,
        at: start,
        reference,
        shown: Object.fromEntries(one.alerts.map(({ id, revision }) => [id, revision])),
        note: null,
      },
    ]);

  describe('one transaction', () => {
    it('keeps state, alert and dispatch together or not at all', async () => {
      await expect(
        store.dispatch(async (unit) => {
          await unit.saveState('funding-extreme', { n: 1 }, start);
          await unit.save({ alert: firing(), group: 'g', due: start, heldBy: null });
          throw new Error('killed');
        }),
      ).rejects.toThrow('killed');
      expect(await store.detectors.state('funding-extreme')).toBeUndefined();
      expect(await store.alerts.firing()).toEqual([]);
    });

    it('refuses a second open episode of one fingerprint', async () => {
      await keep(firing());
      await expect(keep(firing({}, start + 1))).rejects.toThrow();
    });

    it('gives back the open episode with its group, and none once it has ended', async () => {
      const alert = firing();
      await keep(alert, { group: 'g1' });
      const found = await store.dispatch((unit) => unit.open(alert.fingerprint));
      expect(found).toEqual({ alert, group: 'g1', due: start, heldBy: null });
      await keep(next(alert, { status: 'resolved' }, start + 5));
      expect(await store.dispatch((unit) => unit.open(alert.fingerprint))).toBeUndefined();
      expect((await store.alerts.recent(10)).map(({ status }) => status)).toEqual(['resolved']);
    });
  });

  describe('expansion', () => {
    it('pages through subscriptions in the order they were made, to the end', async () => {
      for (const name of ['a', 'b', 'c'])
        await store.subscriptions.add(subscription({ receiver: receiver(name) }));
      await keep(firing());
      const dispatch = await nextDispatch(store);
      if (dispatch === undefined) throw new Error('nothing was announced');
      const first = await store.expansion.page(dispatch.cursor, 2);
      expect(first.subscriptions.map((s) => s.receiver.address)).toEqual([{ room: 'a' }, { room: 'b' }]);
      await store.expansion.enqueue([{ dispatch, destinations: [] }], { next: first.next, now: start });
      const again = await nextDispatch(store);
      if (again === undefined) throw new Error('the dispatch is gone too early');
      const second = await store.expansion.page(again.cursor, 2);
      expect(second.subscriptions.map((s) => s.receiver.address)).toEqual([{ room: 'c' }]);
      expect(second.next).toBeNull();
    });

    it('puts a receiver once into the outbox for one revision, however often it is enqueued', async () => {
      await keep(firing());
      const dispatch = await nextDispatch(store);
      if (dispatch === undefined) throw new Error('nothing was announced');
      await store.expansion.enqueue([{ dispatch, destinations: to(dispatch, receiver('a')) }], {
        next: 1,
        now: start,
      });
      await store.expansion.enqueue(
        [{ dispatch, destinations: to(dispatch, receiver('a'), receiver('b')) }],
        { next: null, now: start },
      );
      expect((await store.outbox.backlog()).waiting).toBe(2);
      expect(await store.expansion.next()).toEqual([]);
    });
  });

  describe('a claim', () => {
    it('takes everything due for one receiver and group, and no second group of it', async () => {
      const alert = firing();
      await keep(alert);
      await expand([receiver('a')]);
      await keep(next(alert, { severity: 'critical' }, start));
      await expand([receiver('a')]);
      await keep(firing({ symbol: 'ETHUSDT' }));
      await expand([receiver('a')]);
      const claims = await claim();
      expect(claims).toHaveLength(1);
      expect(claims[0]?.rows.map(({ revision }) => revision)).toEqual([1, 2]);
      expect(claims[0]?.alerts.map(({ severity }) => severity)).toEqual(['critical']);
      expect(await claim()).toEqual([]);
    });

    it('leaves alone what is not due', async () => {
      const alert = firing({}, start + 30_000);
      await keep(alert);
      await expand([receiver('a')], start);
      await store.outbox.promote(start + 29_999, 0);
      expect(await claim()).toEqual([]);
      await store.outbox.promote(start + 30_000, 0);
      expect(await claim()).toHaveLength(1);
    });

    it('brings the post, the subscriptions and the silences it is decided by', async () => {
      const wanted = await store.subscriptions.add(subscription({ receiver: receiver('a') }));
      const silence = await store.silences.add({
        receiver: receiver('a'),
        kinds: ['*'],
        symbols: ['BTCUSDT'],
        startsAt: start,
        endsAt: start + 1,
        createdBy: 'test',
      });
      const alert = firing();
      await keep(alert);
      await expand([receiver('a')]);
      const [first] = await claim();
      if (first === undefined) throw new Error('nothing was claimed');
      expect(first).toMatchObject({ subscriptions: [wanted], silences: [silence], doubt: null });
      await sent(first, 'm7');
      await keep(next(alert, { status: 'resolved' }, start + 9));
      await expand([receiver('a')], start + 9);
      const [second] = await claim({ now: start + 9 });
      expect(second?.post).toEqual({ reference: 'm7', shown: { [alert.id]: 1 }, unknown: false });
    });

    it('that never ended is in doubt when its lease is over, and its late settlement changes nothing', async () => {
      await keep(firing());
      await expand([receiver('a')]);
      const [lost] = await claim({ wall: 0, lease: 1_000 });
      if (lost === undefined) throw new Error('nothing was claimed');
      await begin(lost, 2_000);
      await store.outbox.promote(start, 1_999);
      expect(await claim()).toEqual([]);
      await store.outbox.promote(start, 2_000);
      const [again] = await claim({ wall: 2_000 });
      if (again === undefined) throw new Error('nothing was claimed');
      expect(again.doubt).toBe('post');
      expect(await begin(lost, 9_000)).toEqual(new Set([lost]));
      await store.outbox.settle([
        { kind: 'suppressed', claim: lost, at: start, reason: { code: 'expired', text: 'late' } },
      ]);
      expect((await store.outbox.backlog()).waiting).toBe(1);
      await sent(again);
      expect((await store.outbox.backlog()).waiting).toBe(0);
    });

    it('that was lost settles late: nothing over the living post, no subscription deleted, nobody moved', async () => {
      await store.subscriptions.add(subscription({ receiver: receiver('a') }));
      await keep(firing());
      await expand([receiver('a')]);
      const [lost] = await claim({ wall: 0, lease: 1_000 });
      if (lost === undefined) throw new Error('nothing was claimed');
      await store.outbox.promote(start, 1_000);
      const [again] = await claim({ wall: 1_000 });
      if (again === undefined) throw new Error('nothing was claimed');
      await sent(again, 'm2');
      const reason = { code: 'not_delivered', text: 'late' } as const;
      const late = { claim: lost, at: start, reason };
      expect(await sent(lost, 'm1')).toEqual(new Set([lost]));
      await store.outbox.settle([{ kind: 'gone', ...late }]);
      await store.outbox.settle([{ kind: 'barred', ...late, wall: 0 }]);
      await store.outbox.settle([{ kind: 'moved', ...late, to: receiver('b') }]);
      await store.outbox.settle([retry(lost, 9_000)]);
      expect(await store.subscriptions.of(receiver('a'))).toHaveLength(1);
      await keep(next(firing(), { status: 'resolved' }, start + 1));
      await expand([receiver('a')], start + 1);
      expect(await claim({ now: start + 1 })).toMatchObject([{ post: { reference: 'm2' } }]);
    });

    it('of a process that died is in doubt at once after recovery, where it had begun to be sent', async () => {
      await keep(firing());
      await expand([receiver('a'), receiver('b')]);
      const [first] = await claim();
      if (first === undefined) throw new Error('nothing was claimed');
      expect(await begin(first, 5_000)).toEqual(new Set());
      expect(await store.outbox.recover()).toBe(1);
      const claims = await claim();
      expect(claims.map(({ key, doubt }) => [key, doubt])).toEqual([
        [first.key, 'post'],
        [receiverKey(receiver('b')), null],
      ]);
    });

    it('that was begun and refused is in doubt no more', async () => {
      await keep(firing());
      await expand([receiver('a')]);
      const [one] = await claim();
      if (one === undefined) throw new Error('nothing was claimed');
      await begin(one, 5_000);
      await store.outbox.settle([retry(one, 0)]);
      await store.outbox.promote(start, 0);
      expect((await claim()).map(({ doubt }) => doubt)).toEqual([null]);
    });
  });

  describe('a settlement', () => {
    const ready = async (): Promise<Claim> => {
      await keep(firing());
      await store.subscriptions.add(subscription({ receiver: receiver('a') }));
      await expand([receiver('a')]);
      const [one] = await claim();
      if (one === undefined) throw new Error('nothing was claimed');
      return one;
    };

    it('"sent" empties the outbox and is in the log', async () => {
      await sent(await ready());
      expect((await store.outbox.backlog()).waiting).toBe(0);
      expect(await store.deliveries.recent(receiver('a'), 5)).toMatchObject([
        { outcome: 'sent', revision: 1 },
      ]);
    });

    it('"retry" holds the receiver, its later rows too, until the time given', async () => {
      const one = await ready();
      await store.outbox.settle([retry(one, 500)]);
      await keep(firing({ symbol: 'ETHUSDT' }));
      await expand([receiver('a')]);
      await store.outbox.promote(start, 499);
      expect(await claim()).toEqual([]);
      await store.outbox.promote(start, 500);
      expect(await claim()).toMatchObject([{ group: one.group, attempts: 1 }]);
    });

    it('"retry" in an outage of its platform holds until that is over, and no other platform’s', async () => {
      const one = await ready();
      await store.outbox.settle([retry(one, 500, true)]);
      await store.outbox.release('telegram');
      expect(await claim()).toEqual([]);
      await store.outbox.release('web');
      const [again] = await claim();
      if (again === undefined) throw new Error('it is still held');
      await store.outbox.settle([retry(again, 500)]);
      await store.outbox.release('web');
      expect(await claim()).toEqual([]);
    });

    it('"postponed" waits in market time and lets other groups pass', async () => {
      const one = await ready();
      await store.outbox.settle([
        {
          kind: 'postponed',
          claim: one,
          at: start,
          until: start + 60_000,
          reason: { code: 'quiet_hours', text: 'quiet hours' },
        },
      ]);
      await keep(firing({ symbol: 'ETHUSDT' }));
      await expand([receiver('a')]);
      expect(await claim()).toMatchObject([{ alerts: [{ labels: { symbol: 'ETHUSDT' } }] }]);
    });

    it('"barred" rests the receiver with all it has and all that waits, until it is woken', async () => {
      const one = await ready();
      await begin(one, 5_000);
      const reason = { code: 'not_delivered', text: 'no permission' } as const;
      await store.outbox.settle([{ kind: 'barred', claim: one, at: start, wall: 0, reason }]);
      expect(await store.subscriptions.of(receiver('a'))).toHaveLength(1);
      expect(await claim()).toEqual([]);
      expect((await store.outbox.backlog()).waiting).toBe(0);
      expect(await store.audit.of(receiver('a'), 5)).toHaveLength(1);
      await store.receivers.wake([receiver('a')], start);
      expect(await claim()).toMatchObject([{ key: one.key, doubt: null }]);
    });

    it('"gone" ends everything of the receiver', async () => {
      const one = await ready();
      await store.outbox.settle([
        { kind: 'gone', claim: one, at: start, reason: { code: 'not_delivered', text: 'chat not found' } },
      ]);
      expect(await store.subscriptions.of(receiver('a'))).toEqual([]);
      expect((await store.outbox.backlog()).waiting).toBe(0);
      const [audit] = await store.audit.of(receiver('a'), 5);
      expect(say(audit?.what ?? '', plainReader)).toBe('Subscriptions and alerts here ended: chat not found');
    });

    it('"moved" takes subscriptions and what waits along', async () => {
      const one = await ready();
      await store.outbox.settle([{ kind: 'moved', claim: one, at: start, to: receiver('b') }]);
      expect(await store.subscriptions.of(receiver('b'))).toHaveLength(1);
      expect(await store.subscriptions.of(receiver('a'))).toEqual([]);
      expect(await claim()).toMatchObject([{ receiver: receiver('b') }]);
    });
  });

  describe('a receiver', () => {
    const guild = { notifier: 'discord', address: { channelId: '1', guildId: '42' } };

    it('is found by a field of its address, and only by the whole value', async () => {
      await store.subscriptions.add(subscription({ receiver: guild }));
      await store.subscriptions.add(subscription({ receiver: guild, symbols: ['BTCUSDT'] }));
      expect(await store.receivers.find('discord', 'guildId', '42')).toEqual([guild]);
      expect(await store.receivers.find('discord', 'guildId', '4')).toEqual([]);
      expect(await store.receivers.find('discord', 'guildId', '%')).toEqual([]);
      expect(await store.receivers.find('telegram', 'guildId', '42')).toEqual([]);
    });

    it('that rests is told nothing, and is as it was when woken', async () => {
      await store.subscriptions.add(subscription({ receiver: guild }));
      await keep(firing());
      const dispatch = await nextDispatch(store);
      if (dispatch === undefined) throw new Error('nothing was announced');
      await store.receivers.rest([guild], { at: start, wall: 0, reason: 'removed' });
      expect((await store.expansion.page(dispatch.cursor, 10)).subscriptions).toEqual([]);
      expect(await store.receivers.resting('discord', 'guildId', '42')).toEqual([guild]);
      expect(await store.receivers.resting('discord', 'guildId', '4')).toEqual([]);
      await store.receivers.wake([guild], start);
      await store.receivers.wake([guild], start);
      expect((await store.expansion.page(dispatch.cursor, 10)).subscriptions).toHaveLength(1);
      const audit = (await store.audit.of(guild, 5)).map(
        ({ who, what }) => `${who}: ${say(what, plainReader)}`,
      );
      expect(audit).toEqual([
        'Tocsin: Alerts here are back: the bot may post again',
        'Tocsin: Alerts here are on hold until the bot may post again: removed',
      ]);
    });

    it('that has rested to the end is forgotten', async () => {
      await store.subscriptions.add(subscription({ receiver: guild }));
      await store.receivers.rest([guild], { at: start, wall: 0, reason: 'removed' });
      await store.prune({ now: 0, before: 0, requests: 0, record: 0, wall: 30 * day - 1 });
      expect(await store.subscriptions.of(guild)).toHaveLength(1);
      await store.prune({ now: 0, before: 0, requests: 0, record: 0, wall: 30 * day });
      expect(await store.subscriptions.of(guild)).toEqual([]);
    });
  });

  it('what ended is forgotten with its posts and deliveries, page by page, and what came later is kept', async () => {
    const many = Array.from({ length: 1_100 }, (_, n) => receiver(n));
    await keep(firing());
    await expand(many);
    for (const one of await claim({ count: 2_000 })) await sent(one);
    await store.prune({ now: 0, before: start, requests: 0, record: 0, wall: 0 });
    expect(await store.deliveries.latest(2_000)).toHaveLength(1_100);
    await store.prune({ now: 0, before: start + 1, requests: 0, record: 0, wall: 0 });
    expect(await store.deliveries.latest(2_000)).toEqual([]);
    await keep(next(firing(), { status: 'updated' }, start + 2));
    await expand([receiver(0)], start + 2);
    expect((await claim({ now: start + 2 }))[0]?.post).toBeUndefined();
  });

  it('one receiver cannot remove what is another’s', async () => {
    const own = await store.subscriptions.add(subscription({ receiver: receiver('a') }));
    expect(await store.subscriptions.remove(own.id, receiver('b'))).toBe(false);
    expect(await store.subscriptions.remove(own.id, receiver('a'))).toBe(true);
    expect(await store.subscriptions.remove(own.id, receiver('a'))).toBe(false);
  });

  it('counts the wanted symbols, the most wanted first', async () => {
    await store.subscriptions.add(subscription({ symbols: ['ETHUSDT'] }));
    await store.subscriptions.add(subscription({ symbols: ['BTCUSDT', 'ETHUSDT'] }));
    await store.subscriptions.add(subscription({ symbols: ['*'] }));
    expect(await store.subscriptions.symbols()).toEqual(['ETHUSDT', 'BTCUSDT']);
  });

  it('remembers requests of one key within the window', async () => {
    await store.requests.record('k', 100);
    await store.requests.record('k', 200);
    await store.requests.record('other', 200);
    expect(await store.requests.load('k', 100)).toEqual([200]);
  });

  it('forgets requests older than their own horizon', async () => {
    await store.requests.record('k', 100);
    await store.requests.record('k', 200);
    await store.prune({ now: 0, before: 0, requests: 200, record: 0, wall: 0 });
    expect(await store.requests.load('k', 0)).toEqual([200]);
  });

  it('replaces a message of the same id in its place', async () => {
    await store.messages.put('1', 'main', 'first');
    await store.messages.put('2', 'main', 'second');
    await store.messages.put('1', 'main', 'first, edited');
    expect((await store.messages.recent('main', 10)).map(({ body }) => body)).toEqual([
      'first, edited',
      'second',
    ]);
    expect(await store.messages.read('1', 'main')).toBe('first, edited');
    expect(await store.messages.read('1', 'desk')).toBeUndefined();
  });
});
