import { expect, it, onTestFinished } from 'vitest';
import { receiverKey } from '#src/alert/subscription.ts';
import { openDatabase } from '#src/database/open.ts';
import { migrations } from '#src/store/migrations.ts';
import type { Settlement } from '#src/store/ports.ts';
import { markAllInDoubt } from '#src/store/state/doubtful.ts';
import type { Tables } from '#src/store/tables.ts';
import { firing, next, receiver, start } from '#test/support/alerts.ts';
import { onStores } from '#test/support/databases.ts';
import { ownFolder } from '#test/support/folder.ts';
import { ownStore } from '#test/support/own-store.ts';
import { stepsOf } from './steps.ts';

onStores('a restored database', (url, dialect) => {
  const open = async () => {
    const at = dialect === 'sqlite' ? `file:${await ownFolder()}/bot.db` : await url();
    const store = await ownStore(at);
    const database = await openDatabase<Tables>(at, { migrations });
    onTestFinished(() => database.close());
    return { store, doubtAll: () => markAllInDoubt(database) };
  };
  const [one, other] = [receiver('a'), receiver('b')];

  it('has nobody signed in', async () => {
    const { store, doubtAll } = await open();
    const session = { proof: 'p', person: 'telegram:7', name: '@ann', renewedAt: start };
    await store.sessions.begin({ ...session, digest: 'd', until: start + 1 });
    await doubtAll();
    expect(await store.sessions.find('d', start)).toBeUndefined();
  });
  const btc = firing();
  const eth = firing({ symbol: 'ETHUSDT' });
  const worse = next(btc, { status: 'updated', severity: 'critical' }, start);

  const setUp = async () => {
    const { store, doubtAll } = await open();
    const { keep, expand, claim } = stepsOf(() => store);
    return {
      store,
      doubtAll,
      announce: (alert: typeof btc) => keep(alert),
      expand: () => expand([one, other]),
      waiting: () => claim({ count: 5 }),
    };
  };

  it('marks what waits at each receiver as doubtful, from the first waiting revision on', async () => {
    const { announce, expand, doubtAll, waiting } = await setUp();
    await announce(btc);
    await expand();
    await announce(worse);
    await expand();
    expect(await doubtAll()).toEqual({ posts: 2, alerts: 0 });
    const claims = await waiting();
    expect(claims.map(({ key, postInDoubt: doubt }) => ({ key, doubt }))).toEqual(
      [one, other].map((each) => ({
        key: receiverKey(each),
        doubt: { group: btc.id, shown: { [btc.id]: 1 }, unknown: false },
      })),
    );
  });

  it('marks alerts announced before as doubtful when they reach the outbox, but none announced later', async () => {
    const { store, announce, expand, doubtAll, waiting } = await setUp();
    await announce(btc);
    expect(await doubtAll()).toEqual({ posts: 0, alerts: 1 });
    await announce(eth);
    await expand();
    await expand();
    const doubted = new Map<string, string | undefined>();
    for (const round of ['first', 'second'])
      for (const claim of await waiting()) {
        doubted.set(`${claim.group} ${claim.key}`, claim.postInDoubt?.group);
        const sent = { kind: 'sent', claim, at: start, reference: round, shown: {}, note: null } as const;
        await store.outbox.settle([sent]);
      }
    expect(doubted).toEqual(
      new Map(
        [one, other].map(receiverKey).flatMap((key): [string, string | undefined][] => [
          [`${btc.id} ${key}`, btc.id],
          [`${eth.id} ${key}`, undefined],
        ]),
      ),
    );
  });

  it.each([
    ['the same message', btc, worse],
    ['another', eth, btc],
  ])('marks what reaches the outbox while %s is being sent', async (_, first, second) => {
    const { store, announce, expand, doubtAll, waiting } = await setUp();
    await announce(first);
    await expand();
    await announce(second);
    await doubtAll();
    const claims = await waiting();
    const settle = (of: (claim: (typeof claims)[number]) => Settlement) =>
      store.outbox.settle(claims.map(of));
    const post = { group: first.id, shown: { [first.id]: 1 }, unknown: false };
    await settle((claim) => ({ kind: 'begun', claim, at: start, post }));
    await expand();
    await settle((claim) => ({ kind: 'sent', claim, at: start, reference: 'm', shown: {}, note: null }));
    const left = await waiting();
    expect(left.map(({ postInDoubt: doubt }) => doubt?.shown)).toEqual([
      { [second.id]: second.revision },
      { [second.id]: second.revision },
    ]);
  });

  it('clears the doubt when the message was looked for and not found', async () => {
    const { store, announce, expand, doubtAll, waiting } = await setUp();
    await announce(btc);
    await expand();
    await doubtAll();
    for (const claim of await waiting()) await store.outbox.settle([{ kind: 'absent', claim, at: start }]);
    const claims = await waiting();
    expect(claims.map(({ postInDoubt: doubt }) => doubt)).toEqual([null, null]);
  });

  it('keeps the doubt about a suppressed message when more of its group waits', async () => {
    const { store, announce, expand, doubtAll, waiting } = await setUp();
    await announce(btc);
    await expand();
    await doubtAll();
    const held = await waiting();
    await announce(worse);
    await expand();
    const reason = { code: 'start_not_sent', text: '' } as const;
    await store.outbox.settle(held.map((claim) => ({ kind: 'suppressed', claim, at: start, reason })));
    const claims = await waiting();
    expect(
      claims.map(({ rows, postInDoubt: doubt }) => [rows.map(({ revision }) => revision), doubt?.shown]),
    ).toEqual([one, other].map(() => [[2], { [btc.id]: 1 }]));
  });

  it('marks nothing the second time', async () => {
    const { announce, expand, doubtAll } = await setUp();
    await announce(btc);
    await expand();
    expect([(await doubtAll()).posts, (await doubtAll()).posts]).toEqual([2, 0]);
  });
});
