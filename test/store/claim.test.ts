import { expect, it } from 'vitest';
import { receiverKey } from '#src/alert/subscription.ts';
import { LostRole } from '#src/runtime/role.ts';
import type { BegunPost, Claim, Queued } from '#src/store/ports.ts';
import { firing, next, receiver, silence, start, subscription } from '#test/support/alerts.ts';
import { onStores } from '#test/support/databases.ts';
import { eachStore, shownBy, stepsOf } from './steps.ts';

onStores('a claim', (url) => {
  const store = eachStore(url);
  const { keep, expand, claim, begin, retry, sent, deliverer, bring, firstClaim, due } = stepsOf(store);

  it('takes everything that is due for one receiver and group, and no second group of that receiver', async () => {
    const alert = firing();
    await bring(alert);
    await bring(next(alert, { severity: 'critical' }, start));
    await bring(firing({ symbol: 'ETHUSDT' }));
    const claims = await claim();
    expect(claims).toHaveLength(1);
    expect(claims[0]?.rows.map(({ revision }) => revision)).toEqual([1, 2]);
    expect(claims[0]?.alerts.map(({ severity }) => severity)).toEqual(['critical']);
    for (const each of claims) await begin(each);
    expect(await claim()).toEqual([]);
  });

  it('takes nothing that is not yet due', async () => {
    const alert = firing({}, start + 30_000);
    await bring(alert, [receiver('a')], start);
    expect(await claim({ now: start + 29_999 })).toEqual([]);
    expect(await claim({ now: start + 30_000 })).toHaveLength(1);
  });

  it('contains the post, subscriptions and silences that it is decided by', async () => {
    const wanted = await store().subscriptions.add(subscription({ receiver: receiver('a') }));
    const muted = await store().silences.add(silence({ symbols: ['BTCUSDT'], endsAt: start + 1 }));
    const alert = firing();
    await bring(alert);
    const first = await firstClaim();
    expect(first).toMatchObject({ subscriptions: [wanted], silences: [muted], postInDoubt: null });
    await sent(first, 'm7');
    await bring(next(alert, { status: 'resolved' }, start + 9), [receiver('a')], start + 9);
    const [second] = await claim({ now: start + 9 });
    expect(second?.post).toEqual({ reference: 'm7', shown: { [alert.id]: 1 }, unknown: false });
  });

  it('goes to urgent alerts first, then new ones, then edits, then those who have waited longest', async () => {
    const alert = firing();
    await bring(alert, [receiver('told')]);
    for (const one of await claim()) await sent(one);
    await bring(next(alert, {}, start), [receiver('told')]);
    await bring(firing({ symbol: 'ETHUSDT' }), [receiver('second'), receiver('first')]);
    await bring(firing({ symbol: 'SOLUSDT', severity: 'critical' }), [receiver('urgent')]);
    const rooms = (claims: Claim[]) => claims.map(({ receiver: { address } }) => address.room);
    expect(rooms(await claim())).toEqual(['urgent', 'first', 'second', 'told']);
    expect(rooms(await claim({ count: 2 }))).toEqual(['urgent', 'first']);
    const fits = ({ key }: Queued) => key !== receiverKey(receiver('first'));
    const others = await store().outbox.next({ notifier: 'web', now: start, count: 2, fits });
    expect(others.map((each) => each.receiver.address.room)).toEqual(['urgent', 'second']);
  });

  it('of a receiver that was just sent something comes after those that have waited longer', async () => {
    for (const symbol of ['BTCUSDT', 'ETHUSDT']) {
      await bring(firing({ symbol }));
    }
    const first = await firstClaim();
    await bring(firing({ symbol: 'SOLUSDT' }), [receiver('b')]);
    await store().outbox.settle([
      { kind: 'sent', claim: first, at: start + 1, reference: 'm1', shown: {}, note: null },
    ]);
    const claims = await claim({ now: start + 1 });
    expect(claims.map((each) => each.receiver.address.room)).toEqual(['b', 'a']);
  });

  it('of an earlier process is free for the next one, and doubtful if sending had begun', async () => {
    const before = await deliverer();
    await bring(firing(), [receiver('a'), receiver('b')]);
    const first = await firstClaim();
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
    await store().subscriptions.add(subscription({ receiver: receiver('a') }));
    const lost = await due();
    await begin(lost, before);
    await deliverer();
    const reason = { code: 'not_delivered', text: 'late' } as const;
    await expect(sent(lost, 'm1', before)).rejects.toThrow(LostRole);
    const gone = { kind: 'gone', claim: lost, at: start, reason } as const;
    await expect(before.outbox.settle([gone])).rejects.toThrow(LostRole);
    await expect(before.dispatch((unit) => unit.firing())).rejects.toThrow(LostRole);
    expect(await store().subscriptions.of(receiver('a'))).toHaveLength(1);
    expect(await store().deliveries.recent(receiver('a'), 5)).toEqual([]);
    expect((await store().outbox.backlog()).waiting).toBe(1);
  });

  it('that is settled after its receiver was forgotten stores no post, deletes nothing and moves nobody', async () => {
    const lost = await due();
    await begin(lost);
    await store().forgetPlace(receiver('a'));
    await store().subscriptions.add(subscription({ receiver: receiver('a') }));
    const reason = { code: 'not_delivered', text: 'late' } as const;
    const late = { claim: lost, at: start, reason };
    expect(await sent(lost)).toEqual(new Set([lost]));
    await store().outbox.settle([{ kind: 'gone', ...late }]);
    await store().outbox.settle([{ kind: 'barred', ...late, wall: 0 }]);
    await store().outbox.settle([{ kind: 'moved', ...late, to: receiver('b') }]);
    await store().outbox.settle([retry(lost, 9_000)]);
    expect(await store().subscriptions.of(receiver('a'))).toHaveLength(1);
    await bring(next(firing(), { status: 'resolved' }, start + 1), [receiver('a')], start + 1);
    expect(await claim({ now: start + 1 })).toMatchObject([{ post: undefined }]);
  });

  it('whose edit turns out to be a post is begun once more, by the process that has it', async () => {
    const before = await deliverer();
    const one = await due();
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
    const one = await due();
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
    expect(await store().deliveries.recent(receiver('a'), 5)).toHaveLength(1);
  });

  it('is lost if another claim of its receiver begins in the same batch before it', async () => {
    const own = await deliverer();
    await bring(firing(), [receiver('a'), receiver('b')]);
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
    expect(await store().deliveries.recent(receiver('a'), 5)).toHaveLength(1);
  });

  it('of one group does not change the doubt about another', async () => {
    const one = await due();
    await begin(one);
    await store().outbox.settle([{ ...retry(one, start + 9, 'message'), inDoubt: true }]);
    await keep(firing({ symbol: 'ETHUSDT' }));
    await bring(firing({ symbol: 'SOLUSDT' }));
    await expand([receiver('a')]);
    const other = await firstClaim();
    expect(other.postInDoubt).toBeNull();
    await begin(other);
    await sent(other);
    const silenced = await firstClaim();
    const reason = { code: 'silenced', text: '' } as const;
    await store().outbox.settle([{ kind: 'suppressed', claim: silenced, at: start, reason }]);
    expect(await claim({ now: start + 9 })).toMatchObject([
      { group: one.group, postInDoubt: { group: one.group } },
    ]);
  });

  it('that may have been sent and is suppressed stays doubtful if more of its group waits', async () => {
    const alert = firing();
    const one = await due(alert);
    await begin(one);
    await store().outbox.settle([{ ...retry(one, 0), inDoubt: true }]);
    const again = await firstClaim();
    await bring(next(alert, { severity: 'critical' }, start + 1), [receiver('a')], start + 1);
    const reason = { code: 'start_not_sent', text: '' } as const;
    await store().outbox.settle([{ kind: 'suppressed', claim: again, at: start, reason }]);
    expect(await claim({ now: start + 1 })).toMatchObject([
      { rows: [{ revision: 2 }], postInDoubt: { group: one.group } },
    ]);
  });

  it('that was begun and then refused is not doubtful any more', async () => {
    const one = await due();
    await begin(one);
    await store().outbox.settle([retry(one, 0)]);
    expect((await claim()).map(({ postInDoubt: doubt }) => doubt)).toEqual([null]);
  });

  it('that may have been sent comes before all others of its receiver until that is known', async () => {
    const alert = firing();
    const one = await due(alert);
    await begin(one);
    await store().outbox.settle([{ ...retry(one, 0), inDoubt: true }]);
    await bring(firing({ symbol: 'ETHUSDT', severity: 'critical' }));
    const again = await firstClaim();
    expect(again).toMatchObject({ group: one.group, postInDoubt: { shown: { [alert.id]: 1 } } });
    await store().outbox.settle([{ kind: 'absent', claim: again, at: start }]);
    expect(await claim()).toMatchObject([{ urgent: true, postInDoubt: null }]);
  });
});
