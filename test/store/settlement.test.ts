import { expect, it } from 'vitest';
import { plainReader, say } from '#src/language/say.ts';
import type { Claim } from '#src/store/ports.ts';
import { firing, next, receiver, start, subscription } from '#test/support/alerts.ts';
import { onStores } from '#test/support/databases.ts';
import { nextDispatch } from '#test/support/posting.ts';
import { eachStore, shownBy, stepsOf } from './steps.ts';

onStores('a settlement', (url) => {
  const store = eachStore(url);
  const { keep, claim, begin, retry, sent, bring, firstClaim, due } = stepsOf(store);

  const ready = async (): Promise<Claim> => {
    await store().subscriptions.add(subscription({ receiver: receiver('a') }));
    return due();
  };

  it('"sent" empties the outbox and is logged', async () => {
    await sent(await ready());
    expect((await store().outbox.backlog()).waiting).toBe(0);
    expect(await store().deliveries.recent(receiver('a'), 5)).toMatchObject([
      { outcome: 'sent', revision: 1 },
    ]);
  });

  it('"retry" delays everything of the receiver until the given time', async () => {
    const one = await ready();
    await store().outbox.settle([retry(one, start + 500)]);
    await bring(firing({ symbol: 'ETHUSDT' }));
    expect(await claim({ now: start + 499 })).toEqual([]);
    expect(await claim({ now: start + 500 })).toMatchObject([{ group: one.group, attempts: 1 }]);
  });

  it('"retry" of one message does not delay others of its receiver', async () => {
    const one = await ready();
    await store().outbox.settle([retry(one, start + 500, 'message')]);
    await bring(firing({ symbol: 'ETHUSDT' }));
    const other = await firstClaim({ now: start + 499 });
    expect(other.group).not.toBe(one.group);
    await sent(other, 'm2');
    expect(await claim({ now: start + 499 })).toEqual([]);
    expect(await claim({ now: start + 500 })).toMatchObject([{ group: one.group, attempts: 1 }]);
  });

  it('"postponed" waits in market time and does not delay other groups', async () => {
    const one = await ready();
    await store().outbox.settle([
      {
        kind: 'postponed',
        claim: one,
        at: start,
        until: start + 60_000,
        reason: { code: 'quiet_hours', text: 'quiet hours' },
      },
    ]);
    await bring(firing({ symbol: 'ETHUSDT' }));
    expect(await claim()).toMatchObject([{ alerts: [{ labels: { symbol: 'ETHUSDT' } }] }]);
  });

  it('"barred" suspends the receiver and all that waits for it, until it is woken', async () => {
    const one = await ready();
    await begin(one);
    const reason = { code: 'not_delivered', text: 'no permission' } as const;
    await store().outbox.settle([{ kind: 'barred', claim: one, at: start, wall: 0, reason }]);
    expect(await store().subscriptions.of(receiver('a'))).toHaveLength(1);
    expect(await claim()).toEqual([]);
    expect((await store().outbox.backlog()).waiting).toBe(0);
    expect(await store().audit.of(receiver('a'), 5)).toHaveLength(1);
    await store().receivers.wake([receiver('a')], start);
    expect(await claim()).toMatchObject([{ key: one.key, postInDoubt: null }]);
  });

  it('"gone" ends everything of the receiver', async () => {
    const one = await ready();
    await store().outbox.settle([
      { kind: 'gone', claim: one, at: start, reason: { code: 'not_delivered', text: 'chat not found' } },
    ]);
    expect(await store().subscriptions.of(receiver('a'))).toEqual([]);
    expect((await store().outbox.backlog()).waiting).toBe(0);
    const [audit] = await store().audit.of(receiver('a'), 5);
    expect(say(audit?.what ?? '', plainReader)).toBe('Subscriptions and alerts here ended: chat not found');
  });

  it('that shows less than the end of its alert is followed by an edit, although it is stored after the end', async () => {
    const alert = firing();
    const end = next(alert, { status: 'resolved' }, start + 1);
    const one = await ready();
    await begin(one);
    await bring(end, []);
    const { outbox } = store();
    const result = { claim: one, at: start + 5, reference: 'm1', note: null } as const;
    await outbox.settle([{ kind: 'sent', ...result, shown: { [alert.id]: 1 } }]);
    expect(await outbox.endLagging(start + 6)).toBe(1);
    const edit = await firstClaim({ now: start + 6 });
    await outbox.settle([{ kind: 'edited', ...result, claim: edit, shown: shownBy(edit) }]);
    expect(await outbox.endLagging(start + 7)).toBe(0);
  });

  it('enqueues the edit of each message that it replaces, even if its own rows are those of the last or none', async () => {
    const one = await ready();
    const result = { kind: 'sent', at: start, shown: shownBy(one), note: null } as const;
    const { outbox } = store();
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
    await store().outbox.settle([{ kind: 'moved', claim: one, at: start, to: receiver('b') }]);
    expect(await store().subscriptions.of(receiver('b'))).toHaveLength(1);
    expect(await store().subscriptions.of(receiver('a'))).toEqual([]);
    expect(await claim()).toMatchObject([{ receiver: receiver('b') }]);
  });

  it('"moved" moves what may have arrived, too, and adds it to that of the new address', async () => {
    const one = await ready();
    await begin(one);
    await store().outbox.settle([{ ...retry(one, 0), inDoubt: true }]);
    await bring(firing({ symbol: 'ETHUSDT' }), [receiver('b')]);
    const [there] = (await claim()).filter(({ receiver: { address } }) => address.room === 'b');
    if (there === undefined) throw new Error('nothing is due');
    await begin(there);
    await store().outbox.settle([{ ...retry(there, 0), inDoubt: true }]);
    const [again] = (await claim()).filter(({ receiver: { address } }) => address.room === 'a');
    if (again === undefined) throw new Error('nothing is due');
    await store().outbox.settle([{ kind: 'moved', claim: again, at: start, to: receiver('b') }]);
    const [next] = await claim();
    const doubts = [next?.postInDoubt, ...(next?.otherPostsInDoubt ?? [])];
    expect(new Set(doubts.map((doubt) => doubt?.group))).toEqual(new Set([one.group, there.group]));
  });

  it('"moved" moves the alerts for the receiver alone, whose end a detector may report at the old address', async () => {
    const own = { ...firing(), only: receiver('a') };
    await keep(own);
    await store().receivers.move(receiver('a'), receiver('b'));
    const dispatch = await nextDispatch(store());
    expect(dispatch?.alert.only).toEqual(receiver('b'));
    const open = await store().dispatch((unit) => unit.findOpen(own.fingerprint));
    if (open === undefined) throw new Error('it is open');
    const end = next(open.alert, { status: 'resolved', only: receiver('a') }, start + 1);
    expect(end.only).toEqual(receiver('b'));
  });
});
