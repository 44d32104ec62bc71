import { beforeEach, expect, it } from 'vitest';
import type { Received } from '#src/hook/inbox.ts';
import { day } from '#src/runtime/units.ts';
import type { Store } from '#src/store/ports.ts';
import { receiver, start } from '#test/support/alerts.ts';
import { onStores } from '#test/support/databases.ts';
import { keptHook, signal } from '#test/support/hooks.ts';
import { ownStore } from '#test/support/own-store.ts';

onStores('hooks', (url) => {
  let store: Store;
  beforeEach(async () => {
    store = await ownStore(await url());
  });

  const message = (over: Partial<Received> = {}): Received => ({
    hook: 'h1',
    key: 'k',
    at: start,
    market: start,
    signals: [signal()],
    ...over,
  });
  const accept = (over: Partial<Received> = {}, since = start - day) =>
    store.inbox.accept(message(over), { since, maxWaiting: 3 });

  it('are found with their secret and listed without it', async () => {
    const { hook, secret } = await keptHook(store, { signed: true, template: { symbol: '{ticker}' } });
    expect(await store.hooks.find(hook.id)).toEqual({ hook, lock: { signing: secret } });
    expect(await store.hooks.of(hook.receiver)).toEqual([hook]);
    expect(JSON.stringify(await store.hooks.read([hook.id]))).not.toContain(secret);
    expect(await store.hooks.find('another')).toBeUndefined();
  });

  it('are changed in their place alone, and keep their secret', async () => {
    const { hook, secret } = await keptHook(store, { signed: true });
    const changed = { ...hook, calls: day };
    expect(await store.hooks.update({ ...changed, receiver: receiver('there') })).toBe(false);
    expect(await store.hooks.of(hook.receiver)).toEqual([hook]);
    expect(await store.hooks.update(changed)).toBe(true);
    expect(await store.hooks.find(hook.id)).toEqual({ hook: changed, lock: { signing: secret } });
  });

  it('are deleted with their place, and move with it', async () => {
    const { hook } = await keptHook(store);
    const there = receiver('there');
    await store.receivers.move(hook.receiver, there);
    expect((await store.hooks.of(there)).map(({ id }) => id)).toEqual([hook.id]);
    expect(await store.hooks.remove(hook.id, hook.receiver)).toBe(false);
    expect(await store.forgetPlace(there)).toMatchObject({ hook: 1 });
    expect(await store.hooks.find(hook.id)).toBeUndefined();
  });

  it('store a message that arrives ten times at once only once', async () => {
    const became = await Promise.all(Array.from({ length: 10 }, () => accept()));
    expect(became.toSorted()).toEqual(['kept', ...Array(9).fill('twice')]);
    expect(await store.inbox.waiting(10)).toEqual([message()]);
  });

  it('know equal content for a while, and as new once another message about the same has come between', async () => {
    const sent = (key: string, at: number, about = 'btc') =>
      store.inbox.accept(message({ key, at }), { since: start, about, maxWaiting: 9 });
    expect(await sent('buy', start)).toBe('kept');
    expect(await sent('buy', start + 1)).toBe('twice');
    expect(await sent('sell', start + 2)).toBe('kept');
    expect(await sent('buy', start + 3)).toBe('kept');
    expect(await sent('sell', start + 4, 'eth')).toBe('kept');
    expect(await sent('buy', start + 5)).toBe('twice');
    expect((await store.inbox.waiting(9)).map(({ at }) => at - start)).toEqual([0, 2, 3, 4]);
  });

  it('know a handled message until its time is over and then accept it again', async () => {
    await accept();
    await store.inbox.finish([message()]);
    expect(await store.inbox.waiting(10)).toEqual([]);
    const later = { at: start + 10 };
    expect(await accept(later, start)).toBe('twice');
    expect(await accept(later, start + 1)).toBe('kept');
    // This marks the earlier message as handled again; the message that arrived since still waits.
    await store.inbox.finish([message()]);
    expect(await store.inbox.waiting(10)).toEqual([message(later)]);
  });

  it('remember the last five bodies of each', async () => {
    const { hook } = await keptHook(store);
    for (let at = 1; at <= 7; at += 1)
      await store.hooks.note(hook.id, { at, body: `b${at}`, signals: [], count: 0 });
    await store.hooks.note('another', { at: 1, body: 'x', signals: [], count: 0 });
    expect((await store.hooks.recent(hook.id)).map(({ body }) => body)).toEqual([
      'b7',
      'b6',
      'b5',
      'b4',
      'b3',
    ]);
    expect(await store.hooks.recent('another')).toEqual([]);
  });

  it('accept no more messages than may wait, and hand out the earliest first', async () => {
    for (const at of [3, 1, 2]) await accept({ key: `k${at}`, at });
    expect(await accept({ key: 'more' })).toBe('full');
    expect(await accept({ key: 'other', hook: 'h2' })).toBe('kept');
    expect((await store.inbox.waiting(2)).map(({ at }) => at)).toEqual([1, 2]);
  });

  it('forget handled messages after a day of wall time', async () => {
    await accept();
    await accept({ key: 'waits' });
    await store.inbox.finish([message()]);
    const horizons = { now: 0, before: 0, requests: 0, record: 0 };
    await store.prune({ ...horizons, wall: start + day });
    expect(await accept()).toBe('twice');
    await store.prune({ ...horizons, wall: start + day + 1 });
    expect(await accept()).toBe('kept');
    expect(await store.inbox.waiting(10)).toHaveLength(2);
  });
});
