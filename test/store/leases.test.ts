import { expect, it } from 'vitest';
import { LostRole } from '#src/runtime/role.ts';
import { onStores } from '#test/support/databases.ts';
import { ownStore } from '#test/support/own-store.ts';

onStores('a lease', (url, dialect) => {
  const open = async () => ownStore(await url());

  it('has a higher token each time it is taken, counted separately for each role', async () => {
    const { leases } = await open();
    expect(await leases.take('watch', { owner: 'a', ttl: -1 })).toEqual({ role: 'watch', token: 1 });
    expect(await leases.take('watch', { owner: 'b', ttl: -1 })).toEqual({ role: 'watch', token: 2 });
    expect(await leases.take('expand', { owner: 'a', ttl: -1 })).toEqual({ role: 'expand', token: 1 });
  });

  it('is renewed and released only by its holder', async () => {
    const { leases } = await open();
    const first = await leases.take('watch', { owner: 'a', ttl: -1 });
    const second = await leases.take('watch', { owner: 'b', ttl: -1 });
    if (first === null || second === null) throw new Error('the role is not free');
    expect([await leases.renew(first, 60_000), await leases.renew(second, 60_000)]).toEqual([false, true]);
    await leases.release(first);
    if (dialect === 'postgres') expect(await leases.take('watch', { owner: 'c', ttl: 60_000 })).toBeNull();
    await leases.release(second);
    expect(await leases.take('watch', { owner: 'c', ttl: 60_000 })).toEqual({ role: 'watch', token: 3 });
  });

  it(`of a process that has ended ${dialect === 'postgres' ? 'is taken over when its time is over' : 'is taken over at once: the file is one’s own'}`, async () => {
    const { leases } = await open();
    const lease = await leases.take('watch', { owner: 'a', ttl: 60_000 });
    if (lease === null) throw new Error('the role is not free');
    if (dialect === 'postgres') {
      expect(await leases.take('watch', { owner: 'b', ttl: 60_000 })).toBeNull();
      // The lease expires, as it would by itself.
      await leases.renew(lease, -1);
    }
    expect(await leases.take('watch', { owner: 'b', ttl: 60_000 })).toEqual({ role: 'watch', token: 2 });
  });

  it('is taken before it expires if its owner is known to be dead', async () => {
    const { leases } = await open();
    await leases.take('watch', { owner: 'a', ttl: 60_000 });
    expect(await leases.owner('watch')).toBe('a');
    if (dialect === 'postgres')
      expect(await leases.take('watch', { owner: 'c', ttl: 60_000, instead: 'b' })).toBeNull();
    expect(await leases.take('watch', { owner: 'c', ttl: 60_000, instead: 'a' })).toEqual({
      role: 'watch',
      token: 2,
    });
  });

  it('that was taken over makes all writes of its first holder fail completely', async () => {
    const store = await open();
    const lease = await store.leases.take('watch', { owner: 'a', ttl: -1 });
    if (lease === null) throw new Error('the role is not free');
    const own = store.under(lease);
    await own.dispatch((unit) => unit.saveState('x', { state: 1, now: 0 }));
    await store.leases.take('watch', { owner: 'b', ttl: -1 });
    await expect(own.dispatch((unit) => unit.saveState('x', { state: 2, now: 0 }))).rejects.toThrow(LostRole);
    expect(await store.detectors.state('x')).toBe(1);
    const horizons = { now: 0, before: 9, requests: 9, record: 9, wall: 9 };
    const writes = [
      own.prune(horizons),
      own.heartbeat({ market: 0, wall: 0 }, 1),
      own.outcomes.addPrices('m', [{ symbol: 'S', at: 0, price: 1 }]),
      own.outcomes.keep([]),
      own.outbox.recover('web'),
      own.outbox.endLagging(0),
      own.outbox.endUnserved([], { before: 0, now: 0 }),
      own.outbox.settle([]),
      own.outbox.look(['web:nobody'], 0),
      own.expansion.enqueue([], { next: null, now: 0 }),
      own.expansion.drop([1]),
      own.expansion.enqueueOwnEdits({ kind: 'k', blind: true, after: '' }, 0),
    ];
    for (const write of await Promise.allSettled(writes))
      expect(write).toMatchObject({ status: 'rejected', reason: { name: 'LostRole' } });
  });
});
