import { expect, it } from 'vitest';
import { minute } from '#src/runtime/units.ts';
import { receiver, subscription } from '#test/support/alerts.ts';
import { onStores } from '#test/support/databases.ts';
import { ownStore } from '#test/support/own-store.ts';

const start = Date.UTC(2026, 2, 14);
const session = { proof: 'p', person: 'telegram:7', name: 'Ann', renewedAt: start };
const begun = { ...session, digest: 'one', until: start + 60 * minute };

onStores('the sessions of members', (url) => {
  const opened = async () => {
    const { sessions } = await ownStore(await url());
    expect(await sessions.begin(begun)).toBe(true);
    return sessions;
  };

  it('begin once for each proof, also after they have ended', async () => {
    const sessions = await opened();
    expect(await sessions.begin({ ...begun, digest: 'two' })).toBe(false);
    expect(await sessions.lasts('p', start)).toBe(true);
    await sessions.end('p', start);
    expect(await sessions.lasts('p', start)).toBe(false);
    expect(await sessions.find('one', start)).toBeUndefined();
    expect(await sessions.begin({ ...begun, digest: 'two' })).toBe(false);
    expect(await sessions.find('two', start)).toBeUndefined();
  });

  it('are found by their secret until they expire', async () => {
    const sessions = await opened();
    expect(await sessions.find('one', start)).toEqual(session);
    expect(await sessions.find('two', start)).toBeUndefined();
    expect(await sessions.find('one', begun.until)).toBeUndefined();
  });

  it('end when the person is forgotten', async () => {
    const store = await ownStore(await url());
    await store.sessions.begin(begun);
    await store.forgetPerson({ receiver: receiver(), who: 'Ann', person: session.person });
    expect(await store.sessions.find('one', start)).toBeUndefined();
    expect(await store.sessions.begin({ ...begun, digest: 'two' })).toBe(false);
  });

  it('get another secret, and are found by the one before it for a minute', async () => {
    const sessions = await opened();
    const at = start + 10 * minute;
    expect(await sessions.renew('one', { next: 'two', at })).toBe(true);
    expect(await sessions.renew('one', { next: 'three', at })).toBe(false);
    expect(await sessions.find('two', at + 2 * minute)).toEqual({ ...session, renewedAt: at });
    expect(await sessions.find('one', at + minute - 1)).toEqual({ ...session, renewedAt: at });
    expect(await sessions.find('one', at + minute)).toBeUndefined();
  });
});

onStores('the places of a person', (url) => {
  it('are those where he changed something last, then those that subscribed last, and had something lately', async () => {
    const store = await ownStore(await url());
    const [mine, changed, others, none] = ['a', 'b', 'c', 'd'].map((name) => receiver(name));
    if (!(mine && changed && others && none)) throw new Error('there are four');
    for (const [index, each] of [mine, others].entries())
      await store.subscriptions.add(subscription({ receiver: each, createdAt: start + index }));
    const author = { receiver: changed, who: '@ann', person: session.person, at: start };
    await store.change(author, async (_, audit) => audit('Changed'));
    const { notifier } = mine;
    expect(await store.receivers.likely(notifier, session.person)).toEqual([changed, others, mine]);
    expect(await store.receivers.likely('another', session.person)).toEqual([]);
    const found = [mine, changed, others, none].map((each) => store.receivers.has(each));
    expect(await Promise.all(found)).toEqual([true, true, true, false]);
  });
});
