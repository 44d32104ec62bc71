import { beforeEach, describe, expect, it } from 'vitest';
import type { Alert } from '#src/alert/alert.ts';
import { type Receiver, receiverKey } from '#src/alert/subscription.ts';
import { plainReader, say } from '#src/language/say.ts';
import { LostRole } from '#src/runtime/role.ts';
import { day } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import type { BegunPost, Claim, Dispatch, Queued, Store } from '#src/store/ports.ts';
import { firing, next, receiver, start, subscription } from '#test/support/alerts.ts';
import { onStores } from '#test/support/databases.ts';
import { claimsOf, nextDispatch } from '#test/support/posting.ts';

onStores('the store', (url) => {
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

  const page = ({ cursor }: Dispatch, size: number) =>
    store.expansion.page(cursor, { size, wants: () => true });

  const claim = (given: { now?: number; count?: number } = {}): Promise<Claim[]> =>
    claimsOf(store, { now: start, ...given });

  const shownBy = ({ alerts }: Claim) => Object.fromEntries(alerts.map(({ id, revision }) => [id, revision]));

  const begin = (one: Claim, { outbox }: Pick<Store, 'outbox'> = store) =>
    outbox.settle([
      {
        kind: 'begun',
        claim: one,
        at: start,
        post: { group: one.group, shown: shownBy(one), unknown: false },
      },
    ]);

  const retry = (one: Claim, until: number, holds: 'receiver' | 'message' = 'receiver') =>
    ({
      kind: 'retry',
      claim: one,
      at: start,
      until,
      attempted: true,
      inDoubt: false,
      holds,
      reason: { code: 'not_delivered', text: '503' },
    }) as const;

  const sent = (one: Claim, reference = 'm1', { outbox }: Pick<Store, 'outbox'> = store) =>
    outbox.settle([{ kind: 'sent', claim: one, at: start, reference, shown: shownBy(one), note: null }]);

  /** Takes the role of delivering and returns the store under it. Whoever had the role before loses it. */
  const deliverer = async () => {
    const lease = await store.leases.take('deliver:web', { owner: 'me', ttl: -1 });
    if (lease === null) throw new Error('the role is not free');
    return store.under(lease);
  };

  describe('one transaction', () => {
    it('stores state, alert and dispatch together or not at all', async () => {
      await expect(
        store.dispatch(async (unit) => {
          await unit.saveState('funding-extreme', { state: { n: 1 }, now: start });
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

    it('returns the open episode with its group, and nothing once it has ended', async () => {
      const alert = firing();
      await keep(alert, { group: 'g1' });
      const found = await store.dispatch((unit) => unit.findOpen(alert.fingerprint));
      expect(found).toEqual({ alert, group: 'g1', due: start, heldBy: null });
      await keep(next(alert, { status: 'resolved' }, start + 5));
      expect(await store.dispatch((unit) => unit.findOpen(alert.fingerprint))).toBeUndefined();
      expect((await store.alerts.recent(10)).map(({ status }) => status)).toEqual(['resolved']);
    });
  });

  describe('expansion', () => {
    it('pages through all subscriptions, each once, to the end', async () => {
      for (const name of ['a', 'b', 'c'])
        await store.subscriptions.add(subscription({ receiver: receiver(name) }));
      await keep(firing());
      const dispatch = await nextDispatch(store);
      if (dispatch === undefined) throw new Error('nothing was announced');
      const first = await page(dispatch, 2);
      expect(first.subscriptions).toHaveLength(2);
      await store.expansion.enqueue([{ dispatch, destinations: [] }], { next: first.next, now: start });
      const again = await nextDispatch(store);
      if (again === undefined) throw new Error('the dispatch is gone too early');
      const second = await page(again, 2);
      const rooms = [first, second].flatMap((page) => page.subscriptions.map((s) => s.receiver.address.room));
      expect(rooms.sort()).toEqual(['a', 'b', 'c']);
      expect(second.next).toBeNull();
    });

    it('puts each revision into the outbox once per receiver, even if it is enqueued again', async () => {
      await keep(firing());
      const dispatch = await nextDispatch(store);
      if (dispatch === undefined) throw new Error('nothing was announced');
      await store.expansion.enqueue([{ dispatch, destinations: to(dispatch, receiver('a')) }], {
        next: { matcher: 1, receiver: '', subscription: 1 },
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
    it('takes everything that is due for one receiver and group, and no second group of that receiver', async () => {
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
      for (const each of claims) await begin(each);
      expect(await claim()).toEqual([]);
    });

    it('takes nothing that is not yet due', async () => {
      const alert = firing({}, start + 30_000);
      await keep(alert);
      await expand([receiver('a')], start);
      expect(await claim({ now: start + 29_999 })).toEqual([]);
      expect(await claim({ now: start + 30_000 })).toHaveLength(1);
    });

    it('contains the post, subscriptions and silences that it is decided by', async () => {
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
      expect(first).toMatchObject({ subscriptions: [wanted], silences: [silence], postInDoubt: null });
      await sent(first, 'm7');
      await keep(next(alert, { status: 'resolved' }, start + 9));
      await expand([receiver('a')], start + 9);
      const [second] = await claim({ now: start + 9 });
      expect(second?.post).toEqual({ reference: 'm7', shown: { [alert.id]: 1 }, unknown: false });
    });

    it('goes to urgent alerts first, then new ones, then edits, then those who have waited longest', async () => {
      const alert = firing();
      await keep(alert);
      await expand([receiver('told')]);
      for (const one of await claim()) await sent(one);
      await keep(next(alert, {}, start));
      await expand([receiver('told')]);
      await keep(firing({ symbol: 'ETHUSDT' }));
      await expand([receiver('second'), receiver('first')]);
      await keep(firing({ symbol: 'SOLUSDT', severity: 'critical' }));
      await expand([receiver('urgent')]);
      const rooms = (claims: Claim[]) => claims.map(({ receiver: { address } }) => address.room);
      expect(rooms(await claim())).toEqual(['urgent', 'first', 'second', 'told']);
      expect(rooms(await claim({ count: 2 }))).toEqual(['urgent', 'first']);
      const fits = ({ key }: Queued) => key !== receiverKey(receiver('first'));
      const others = await store.outbox.next({ notifier: 'web', now: start, count: 2, fits });
      expect(others.map((each) => each.receiver.address.room)).toEqual(['urgent', 'second']);
    });

    it('of a receiver that was just sent something comes after those that have waited longer', async () => {
      for (const symbol of ['BTCUSDT', 'ETHUSDT']) {
        await keep(firing({ symbol }));
        await expand([receiver('a')]);
      }
      const [first] = await claim();
      if (first === undefined) throw new Error('nothing is due');
      await keep(firing({ symbol: 'SOLUSDT' }));
      await expand([receiver('b')]);
      await store.outbox.settle([
        { kind: 'sent', claim: first, at: start + 1, reference: 'm1', shown: {}, note: null },
      ]);
      const claims = await claim({ now: start + 1 });
      expect(claims.map((each) => each.receiver.address.room)).toEqual(['b', 'a']);
    });

    it('of an earlier process is free for the next one, and doubtful if sending had begun', async () => {
      const before = await deliverer();
      await keep(firing());
      await expand([receiver('a'), receiver('b')]);
      const [first] = await claim();
      if (first === undefined) throw new Error('nothing is due');
      expect(await begin(first, before)).toEqual(new Set());
      expect((await claim()).map(({ key }) => key)).toEqual([receiverKey(receiver('b'))]);
      const own = await deliverer();
      expect(await own.outbox.recover('web')).toEqual({ begun: 1 });
      expect((await claim()).map(({ key, postInDoubt: doubt }) => [key, doubt?.group])).toEqual([
        [first.key, first.group],
        [receiverKey(receiver('b')), undefined],
      ]);
    });

    it('under a lost role writes nothing', async () => {
      const before = await deliverer();
      await store.subscriptions.add(subscription({ receiver: receiver('a') }));
      await keep(firing());
      await expand([receiver('a')]);
      const [lost] = await claim();
      if (lost === undefined) throw new Error('nothing is due');
      await begin(lost, before);
      await deliverer();
      const reason = { code: 'not_delivered', text: 'late' } as const;
      await expect(sent(lost, 'm1', before)).rejects.toThrow(LostRole);
      const gone = { kind: 'gone', claim: lost, at: start, reason } as const;
      await expect(before.outbox.settle([gone])).rejects.toThrow(LostRole);
      await expect(before.dispatch((unit) => unit.firing())).rejects.toThrow(LostRole);
      expect(await store.subscriptions.of(receiver('a'))).toHaveLength(1);
      expect(await store.deliveries.recent(receiver('a'), 5)).toEqual([]);
      expect((await store.outbox.backlog()).waiting).toBe(1);
    });

    it('that is settled after its receiver was forgotten stores no post, deletes nothing and moves nobody', async () => {
      await keep(firing());
      await expand([receiver('a')]);
      const [lost] = await claim();
      if (lost === undefined) throw new Error('nothing is due');
      await begin(lost);
      await store.forgetPlace(receiver('a'));
      await store.subscriptions.add(subscription({ receiver: receiver('a') }));
      const reason = { code: 'not_delivered', text: 'late' } as const;
      const late = { claim: lost, at: start, reason };
      expect(await sent(lost)).toEqual(new Set([lost]));
      await store.outbox.settle([{ kind: 'gone', ...late }]);
      await store.outbox.settle([{ kind: 'barred', ...late, wall: 0 }]);
      await store.outbox.settle([{ kind: 'moved', ...late, to: receiver('b') }]);
      await store.outbox.settle([retry(lost, 9_000)]);
      expect(await store.subscriptions.of(receiver('a'))).toHaveLength(1);
      await keep(next(firing(), { status: 'resolved' }, start + 1));
      await expand([receiver('a')], start + 1);
      expect(await claim({ now: start + 1 })).toMatchObject([{ post: undefined }]);
    });

    it('whose edit turns out to be a post is begun once more, by the process that has it', async () => {
      const before = await deliverer();
      await keep(firing());
      await expand([receiver('a')]);
      const [one] = await claim();
      if (one === undefined) throw new Error('nothing is due');
      const begun = (post: BegunPost | null) =>
        ({ kind: 'begun', claim: one, at: start, post, isHeld: post !== null }) as const;
      const post = { group: one.group, shown: shownBy(one), unknown: false, isUpdate: true };
      expect(await before.outbox.settle([begun(post)])).toEqual(new Set([one]));
      expect(await before.outbox.settle([begun(null)])).toEqual(new Set());
      expect(await before.outbox.settle([begun(post)])).toEqual(new Set());
      const own = await deliverer();
      expect(await own.outbox.recover('web')).toEqual({ begun: 1 });
      expect((await claim()).map(({ postInDoubt }) => postInDoubt)).toEqual([post]);
      expect(await own.outbox.settle([begun(post)])).toEqual(new Set([one]));
    });

    it('is settled once even if the response to the commit was lost and it is repeated', async () => {
      const own = await deliverer();
      await keep(firing());
      await expand([receiver('a')]);
      const [one] = await claim();
      if (one === undefined) throw new Error('nothing is due');
      const post = { group: one.group, shown: shownBy(one), unknown: false };
      const begun = { kind: 'begun', claim: one, at: start, post } as const;
      expect(await own.outbox.settle([begun])).toEqual(new Set());
      expect(await own.outbox.settle([begun], true)).toEqual(new Set());
      const settlement = {
        kind: 'sent',
        claim: one,
        at: start,
        reference: 'm1',
        shown: {},
        note: null,
      } as const;
      await own.outbox.settle([settlement]);
      expect(await own.outbox.settle([settlement], true)).toEqual(new Set());
      expect(await store.deliveries.recent(receiver('a'), 5)).toHaveLength(1);
    });

    it('is lost if another claim of its receiver begins in the same batch before it', async () => {
      const own = await deliverer();
      await keep(firing());
      await expand([receiver('a'), receiver('b')]);
      const [first, other] = await claim({ count: 2 });
      if (first === undefined || other === undefined) throw new Error('nothing is due');
      const second = { ...first };
      const begun = [first, second, other].map((one) => {
        const post = { group: one.group, shown: shownBy(one), unknown: false };
        return { kind: 'begun', claim: one, at: start, post } as const;
      });
      expect(await own.outbox.settle(begun)).toEqual(new Set([second]));
      expect(await own.outbox.settle(begun, true)).toEqual(new Set([second]));
      expect(await sent(first, 'm1', own)).toEqual(new Set());
      expect(await store.deliveries.recent(receiver('a'), 5)).toHaveLength(1);
    });

    it('of one group does not change the doubt about another', async () => {
      await keep(firing());
      await expand([receiver('a')]);
      const [one] = await claim();
      if (one === undefined) throw new Error('nothing is due');
      await begin(one);
      await store.outbox.settle([{ ...retry(one, start + 9, 'message'), inDoubt: true }]);
      await keep(firing({ symbol: 'ETHUSDT' }));
      await keep(firing({ symbol: 'SOLUSDT' }));
      await expand([receiver('a')]);
      await expand([receiver('a')]);
      const [other] = await claim();
      if (other === undefined) throw new Error('nothing is due');
      expect(other.postInDoubt).toBeNull();
      await begin(other);
      await sent(other);
      const [silenced] = await claim();
      if (silenced === undefined) throw new Error('nothing is due');
      const reason = { code: 'silenced', text: '' } as const;
      await store.outbox.settle([{ kind: 'suppressed', claim: silenced, at: start, reason }]);
      expect(await claim({ now: start + 9 })).toMatchObject([
        { group: one.group, postInDoubt: { group: one.group } },
      ]);
    });

    it('that may have been sent and is suppressed stays doubtful if more of its group waits', async () => {
      const alert = firing();
      await keep(alert);
      await expand([receiver('a')]);
      const [one] = await claim();
      if (one === undefined) throw new Error('nothing is due');
      await begin(one);
      await store.outbox.settle([{ ...retry(one, 0), inDoubt: true }]);
      const [again] = await claim();
      if (again === undefined) throw new Error('nothing is due');
      await keep(next(alert, { severity: 'critical' }, start + 1));
      await expand([receiver('a')], start + 1);
      const reason = { code: 'start_not_sent', text: '' } as const;
      await store.outbox.settle([{ kind: 'suppressed', claim: again, at: start, reason }]);
      expect(await claim({ now: start + 1 })).toMatchObject([
        { rows: [{ revision: 2 }], postInDoubt: { group: one.group } },
      ]);
    });

    it('that was begun and then refused is not doubtful any more', async () => {
      await keep(firing());
      await expand([receiver('a')]);
      const [one] = await claim();
      if (one === undefined) throw new Error('nothing is due');
      await begin(one);
      await store.outbox.settle([retry(one, 0)]);
      expect((await claim()).map(({ postInDoubt: doubt }) => doubt)).toEqual([null]);
    });

    it('that may have been sent comes before all others of its receiver until that is known', async () => {
      const alert = firing();
      await keep(alert);
      await expand([receiver('a')]);
      const [one] = await claim();
      if (one === undefined) throw new Error('nothing is due');
      await begin(one);
      await store.outbox.settle([{ ...retry(one, 0), inDoubt: true }]);
      await keep(firing({ symbol: 'ETHUSDT', severity: 'critical' }));
      await expand([receiver('a')]);
      const [again] = await claim();
      expect(again).toMatchObject({ group: one.group, postInDoubt: { shown: { [alert.id]: 1 } } });
      if (again === undefined) throw new Error('nothing is due');
      await store.outbox.settle([{ kind: 'absent', claim: again, at: start }]);
      expect(await claim()).toMatchObject([{ urgent: true, postInDoubt: null }]);
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

    it('"sent" empties the outbox and is logged', async () => {
      await sent(await ready());
      expect((await store.outbox.backlog()).waiting).toBe(0);
      expect(await store.deliveries.recent(receiver('a'), 5)).toMatchObject([
        { outcome: 'sent', revision: 1 },
      ]);
    });

    it('"retry" delays everything of the receiver until the given time', async () => {
      const one = await ready();
      await store.outbox.settle([retry(one, start + 500)]);
      await keep(firing({ symbol: 'ETHUSDT' }));
      await expand([receiver('a')]);
      expect(await claim({ now: start + 499 })).toEqual([]);
      expect(await claim({ now: start + 500 })).toMatchObject([{ group: one.group, attempts: 1 }]);
    });

    it('"retry" of one message does not delay others of its receiver', async () => {
      const one = await ready();
      await store.outbox.settle([retry(one, start + 500, 'message')]);
      await keep(firing({ symbol: 'ETHUSDT' }));
      await expand([receiver('a')]);
      const [other] = await claim({ now: start + 499 });
      if (other === undefined) throw new Error('nothing is due');
      expect(other.group).not.toBe(one.group);
      await sent(other, 'm2');
      expect(await claim({ now: start + 499 })).toEqual([]);
      expect(await claim({ now: start + 500 })).toMatchObject([{ group: one.group, attempts: 1 }]);
    });

    it('"postponed" waits in market time and does not delay other groups', async () => {
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

    it('"barred" suspends the receiver and all that waits for it, until it is woken', async () => {
      const one = await ready();
      await begin(one);
      const reason = { code: 'not_delivered', text: 'no permission' } as const;
      await store.outbox.settle([{ kind: 'barred', claim: one, at: start, wall: 0, reason }]);
      expect(await store.subscriptions.of(receiver('a'))).toHaveLength(1);
      expect(await claim()).toEqual([]);
      expect((await store.outbox.backlog()).waiting).toBe(0);
      expect(await store.audit.of(receiver('a'), 5)).toHaveLength(1);
      await store.receivers.wake([receiver('a')], start);
      expect(await claim()).toMatchObject([{ key: one.key, postInDoubt: null }]);
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

    it('that shows less than the end of its alert is followed by an edit, although it is stored after the end', async () => {
      const alert = firing();
      const end = next(alert, { status: 'resolved' }, start + 1);
      const one = await ready();
      await begin(one);
      await keep(end);
      await expand([]);
      const { outbox } = store;
      const result = { claim: one, at: start + 5, reference: 'm1', note: null } as const;
      await outbox.settle([{ kind: 'sent', ...result, shown: { [alert.id]: 1 } }]);
      expect(await outbox.endLagging(start + 6)).toBe(1);
      const [edit] = await claim({ now: start + 6 });
      if (edit === undefined) throw new Error('nothing is due');
      await outbox.settle([{ kind: 'edited', ...result, claim: edit, shown: shownBy(edit) }]);
      expect(await outbox.endLagging(start + 7)).toBe(0);
    });

    it('enqueues the edit of each message that it replaces, even if its own rows are those of the last or none', async () => {
      const one = await ready();
      const result = { kind: 'sent', at: start, shown: shownBy(one), note: null } as const;
      const { outbox } = store;
      await outbox.settle([{ ...result, claim: one, reference: 'm2', replaced: 'm1' }]);
      await outbox.settle([{ ...result, claim: one, reference: 'm3', replaced: 'm2' }]);
      await outbox.settle([{ ...result, claim: { ...one, rows: [] }, reference: 'm4', replaced: 'm3' }]);
      const edited: (string | null)[] = [];
      for (let each = await claim(); each.length > 0; each = await claim()) {
        edited.push(...each.map(({ replaced }) => replaced));
        await outbox.settle(
          each.map((pointer) => ({ kind: 'pointed', claim: pointer, at: start, reason: null })),
        );
      }
      expect(edited.sort()).toEqual(['m1', 'm2', 'm3']);
    });

    it('"moved" moves the subscriptions and all that waits', async () => {
      const one = await ready();
      await store.outbox.settle([{ kind: 'moved', claim: one, at: start, to: receiver('b') }]);
      expect(await store.subscriptions.of(receiver('b'))).toHaveLength(1);
      expect(await store.subscriptions.of(receiver('a'))).toEqual([]);
      expect(await claim()).toMatchObject([{ receiver: receiver('b') }]);
    });

    it('"moved" moves what may have arrived, too, and adds it to that of the new address', async () => {
      const one = await ready();
      await begin(one);
      await store.outbox.settle([{ ...retry(one, 0), inDoubt: true }]);
      await keep(firing({ symbol: 'ETHUSDT' }));
      await expand([receiver('b')]);
      const [there] = (await claim()).filter(({ receiver: { address } }) => address.room === 'b');
      if (there === undefined) throw new Error('nothing is due');
      await begin(there);
      await store.outbox.settle([{ ...retry(there, 0), inDoubt: true }]);
      const [again] = (await claim()).filter(({ receiver: { address } }) => address.room === 'a');
      if (again === undefined) throw new Error('nothing is due');
      await store.outbox.settle([{ kind: 'moved', claim: again, at: start, to: receiver('b') }]);
      const [next] = await claim();
      const doubts = [next?.postInDoubt, ...(next?.otherPostsInDoubt ?? [])];
      expect(new Set(doubts.map((doubt) => doubt?.group))).toEqual(new Set([one.group, there.group]));
    });

    it('"moved" moves the alerts for the receiver alone, whose end a detector may report at the old address', async () => {
      const own = { ...firing(), only: receiver('a') };
      await keep(own);
      await store.receivers.move(receiver('a'), receiver('b'));
      const dispatch = await nextDispatch(store);
      expect(dispatch?.alert.only).toEqual(receiver('b'));
      const open = await store.dispatch((unit) => unit.findOpen(own.fingerprint));
      if (open === undefined) throw new Error('it is open');
      const end = next(open.alert, { status: 'resolved', only: receiver('a') }, start + 1);
      expect(end.only).toEqual(receiver('b'));
    });
  });

  describe('a receiver', () => {
    const guild = { notifier: 'discord', address: { channelId: '1', guildId: '42' } };

    it('is found by a field of its address, and only by the whole value', async () => {
      await store.subscriptions.add(subscription({ receiver: guild }));
      await store.subscriptions.add(subscription({ receiver: guild, symbols: ['BTCUSDT'] }));
      expect(await store.receivers.find({ notifier: 'discord', field: 'guildId', value: '42' })).toEqual([
        guild,
      ]);
      expect(await store.receivers.find({ notifier: 'discord', field: 'guildId', value: '4' })).toEqual([]);
      expect(await store.receivers.find({ notifier: 'discord', field: 'guildId', value: '%' })).toEqual([]);
      expect(await store.receivers.find({ notifier: 'telegram', field: 'guildId', value: '42' })).toEqual([]);
    });

    it('that is resting gets nothing, and is unchanged when woken', async () => {
      await store.subscriptions.add(subscription({ receiver: guild }));
      await keep(firing());
      const dispatch = await nextDispatch(store);
      if (dispatch === undefined) throw new Error('nothing was announced');
      await store.receivers.suspend([guild], { at: start, wall: 0, reason: 'removed' });
      expect((await page(dispatch, 10)).subscriptions).toEqual([]);
      expect(await store.receivers.suspended({ notifier: 'discord', field: 'guildId', value: '42' })).toEqual(
        [guild],
      );
      expect(await store.receivers.suspended({ notifier: 'discord', field: 'guildId', value: '4' })).toEqual(
        [],
      );
      await store.receivers.wake([guild], start + 1);
      await store.receivers.wake([guild], start + 1);
      expect((await page(dispatch, 10)).subscriptions).toHaveLength(1);
      const audit = (await store.audit.of(guild, 5)).map(
        ({ who, what }) => `${who}: ${say(what, plainReader)}`,
      );
      expect(audit).toEqual([
        'Tocsin: Alerts here are back: the bot may post again',
        'Tocsin: Alerts here are on hold until the bot may post again: removed',
      ]);
    });

    it('that has rested for 30 days is forgotten', async () => {
      await store.subscriptions.add(subscription({ receiver: guild }));
      await store.receivers.suspend([guild], { at: start, wall: 0, reason: 'removed' });
      await store.prune({ now: 0, before: 0, requests: 0, record: 0, wall: 30 * day - 1 });
      expect(await store.subscriptions.of(guild)).toHaveLength(1);
      await store.prune({ now: 0, before: 0, requests: 0, record: 0, wall: 30 * day });
      expect(await store.subscriptions.of(guild)).toEqual([]);
    });
  });

  it('old alerts are deleted with their posts and deliveries, page by page, and later ones are kept', async () => {
    const many = Array.from({ length: 1_100 }, (_, n) => receiver(n));
    await keep(firing());
    await expand(many);
    const all = await claim({ count: 2_000 });
    const told = { kind: 'sent', at: start, reference: 'm1', note: null } as const;
    await store.outbox.settle(all.map((one) => ({ ...told, claim: one, shown: shownBy(one) })));
    await keep(next(firing(), { status: 'resolved' }, start), { announce: false });
    await store.prune({ now: 0, before: start, requests: 0, record: 0, wall: 0 });
    expect(await store.deliveries.latest(2_000)).toHaveLength(1_100);
    await store.prune({ now: 0, before: start + 1, requests: 0, record: 0, wall: 0 });
    expect(await store.deliveries.latest(2_000)).toEqual([]);
    await keep(firing({}, start + 2), { group: firing().id });
    await expand([receiver(0)], start + 2);
    expect((await claim({ now: start + 2 }))[0]?.post).toBeUndefined();
  });

  it('one receiver cannot remove a subscription of another', async () => {
    const own = await store.subscriptions.add(subscription({ receiver: receiver('a') }));
    expect(await store.subscriptions.remove(own.id, receiver('b'))).toBe(false);
    expect(await store.subscriptions.remove(own.id, receiver('a'))).toBe(true);
    expect(await store.subscriptions.remove(own.id, receiver('a'))).toBe(false);
  });

  it('symbols are listed by how many subscriptions want them, the most wanted first', async () => {
    await store.subscriptions.add(subscription({ symbols: ['ETHUSDT'] }));
    await store.subscriptions.add(subscription({ symbols: ['BTCUSDT', 'ETHUSDT'] }));
    await store.subscriptions.add(subscription({ symbols: ['*'] }));
    expect(await store.subscriptions.symbols()).toEqual(['ETHUSDT', 'BTCUSDT']);
  });

  const take = (key: string, at: number, most = 9) =>
    store.requests.take(key, { at, since: 0, until: 1_000, most });

  it('requests with one key are counted within the window, up to the limit', async () => {
    expect([await take('k', 100), await take('k', 200, 2), await take('k', 300, 2)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(await take('other', 200, 1)).toBe(true);
    expect(await store.requests.load('k', 100)).toEqual([200]);
  });

  it('simultaneous requests do not exceed the limit', async () => {
    const taken = await Promise.all(Array.from({ length: 12 }, (_, n) => take('k', n + 1, 5)));
    expect(taken.filter(Boolean)).toHaveLength(5);
    expect(await store.requests.load('k', 0)).toHaveLength(5);
  });

  it('requests older than their own horizon are deleted', async () => {
    await take('k', 100);
    await take('k', 200);
    await store.prune({ now: 0, before: 0, requests: 200, record: 0, wall: 0 });
    expect(await store.requests.load('k', 0)).toEqual([200]);
  });

  it('a message with the same id is replaced without changing its position', async () => {
    await store.messages.put({ id: '1', room: 'main', body: 'first' });
    await store.messages.put({ id: '2', room: 'main', body: 'second' });
    await store.messages.put({ id: '1', room: 'main', body: 'first, edited' });
    expect((await store.messages.recent('main', 10)).map(({ body }) => body)).toEqual([
      'first, edited',
      'second',
    ]);
    expect(await store.messages.read('1', 'main')).toBe('first, edited');
    expect(await store.messages.read('1', 'desk')).toBeUndefined();
  });
});
