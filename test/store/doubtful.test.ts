import { expect, it, onTestFinished } from 'vitest';
import { receiverKey } from '#src/alert/subscription.ts';
import { openDatabase } from '#src/database/open.ts';
import { doubtAll } from '#src/store/doubtful.ts';
import { openStore } from '#src/store/open.ts';
import { migrations, type Tables } from '#src/store/tables.ts';
import { firing, next, receiver, start } from '#test/support/alerts.ts';
import { onStores } from '#test/support/databases.ts';
import { ownFolder } from '#test/support/folder.ts';
import { claimsOf, nextDispatch } from '#test/support/posting.ts';

onStores('a restored database', (url, dialect) => {
  const open = async () => {
    const at = dialect === 'sqlite' ? `file:${await ownFolder()}/bot.db` : await url();
    const store = await openStore(at);
    const database = await openDatabase<Tables>(at, { migrations });
    onTestFinished(async () => {
      await store.close();
      await database.close();
    });
    return { store, doubtAll: () => doubtAll(database) };
  };
  const [one, other] = [receiver('a'), receiver('b')];
  const btc = firing();
  const eth = firing({ symbol: 'ETHUSDT' });
  const worse = next(btc, { status: 'updated', severity: 'critical' }, start);

  const setUp = async () => {
    const opened = await open();
    const { store } = opened;
    const announce = (alert: typeof btc) =>
      store.dispatch(async (unit) => {
        const kept = { alert, group: alert.id, due: start, heldBy: null };
        await unit.save(kept);
        await unit.announce(kept);
      });
    const expand = async () => {
      const dispatch = await nextDispatch(store);
      if (dispatch === undefined) throw new Error('nothing was announced');
      const destinations = [one, other].map((each) => ({
        receiver: each,
        group: dispatch.group,
        due: start,
      }));
      await store.expansion.enqueue([{ dispatch, destinations }], { next: null, now: start });
    };
    return { ...opened, announce, expand };
  };

  it('doubts what waits at each receiver, as of the first revision that waits', async () => {
    const { store, announce, expand, doubtAll } = await setUp();
    await announce(btc);
    await expand();
    await announce(worse);
    await expand();
    expect(await doubtAll()).toBe(2);
    const claims = await claimsOf(store, { now: start, count: 5 });
    expect(claims.map(({ key, doubt }) => ({ key, doubt }))).toEqual(
      [one, other].map((each) => ({
        key: receiverKey(each),
        doubt: { group: btc.id, shown: { [btc.id]: 1 }, unknown: false },
      })),
    );
  });

  it('doubts what was announced and reaches the outbox only later, and nothing that is announced then', async () => {
    const { store, announce, expand, doubtAll } = await setUp();
    await announce(btc);
    expect(await doubtAll()).toBe(0);
    await announce(eth);
    await expand();
    await expand();
    const doubts = async () =>
      (await claimsOf(store, { now: start, count: 5 })).map(({ group, doubt }) => [group, doubt?.group]);
    expect(await doubts()).toEqual([
      [btc.id, btc.id],
      [btc.id, btc.id],
    ]);
    for (const claim of await claimsOf(store, { now: start, count: 5 }))
      await store.outbox.settle([{ kind: 'sent', claim, at: start, reference: 'm', shown: {}, note: null }]);
    expect(await doubts()).toEqual([
      [eth.id, undefined],
      [eth.id, undefined],
    ]);
  });

  it('marked twice is as marked once', async () => {
    const { announce, expand, doubtAll } = await setUp();
    await announce(btc);
    await expand();
    expect([await doubtAll(), await doubtAll()]).toEqual([2, 0]);
  });
});
