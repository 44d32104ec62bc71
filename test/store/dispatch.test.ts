import { expect, it } from 'vitest';
import { firing } from '#test/support/alerts.ts';
import { onStores } from '#test/support/databases.ts';
import { ownStore } from '#test/support/own-store.ts';

onStores('dispatch', (url, dialect) => {
  it('under one lease runs in sequence, so that each alert sees those that fired before it', async () => {
    const at = await url();
    const stores = [await ownStore(at)];
    // Two processes where possible: a database in memory belongs to one process.
    if (dialect === 'postgres') stores.push(await ownStore(at));
    const lease = await stores[0]?.leases.take('watch', { owner: 'me', ttl: 60_000 });
    if (!lease) throw new Error('the role is not free');
    // By number of the dispatch; one that lost a conflict runs again and overwrites its entry.
    const seen = new Map<number, number>();
    const dispatch = (n: number) =>
      stores[n % stores.length]?.under(lease).dispatch(async (unit) => {
        seen.set(n, (await unit.firing()).length);
        const alert = firing({ symbol: `S${n}USDT` });
        await unit.save({ alert, group: alert.id, due: 0, heldBy: null });
      });
    await Promise.all(Array.from({ length: 20 }, (_, n) => dispatch(n)));
    expect([...seen.values()].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });
});
