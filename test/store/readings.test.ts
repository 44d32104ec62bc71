import { beforeEach, expect, it } from 'vitest';
import type { Store } from '#src/store/ports.ts';
import { onStores } from '#test/support/databases.ts';
import { ownStore } from '#test/support/own-store.ts';

const market = 'https://data.example/api/v1';

onStores('readings', (url) => {
  let store: Store;
  beforeEach(async () => {
    store = await ownStore(await url());
  });
  const add = (feed: string, at: number, readings: unknown, of = market) =>
    store.readings.add(of, { feed, at, readings });
  const page = (from: number, to: number, limit = 10) =>
    store.readings.page(market, { feed: 'overview', window: { from, to }, limit });

  it('are returned as they were stored, for one feed and one market, in the order of time', async () => {
    await add('overview', 20, [{ time: 19, values: { 'price.last': 1.5 } }]);
    await add('overview', 10, [{ symbol: '龙USDT', time: 9, values: {} }]);
    await add('funding', 10, ['another feed']);
    await add('overview', 10, ['another market'], 'simulated 7');
    expect(await page(0, 20)).toEqual([
      { at: 10, readings: [{ symbol: '龙USDT', time: 9, values: {} }] },
      { at: 20, readings: [{ time: 19, values: { 'price.last': 1.5 } }] },
    ]);
  });

  it('come in pages, each of which begins after the last entry of the one before', async () => {
    for (const at of [1, 2, 3]) await add('overview', at, at);
    expect(await page(0, 3, 2)).toEqual([1, 2].map((at) => ({ at, readings: at })));
    expect(await page(2, 3, 2)).toEqual([{ at: 3, readings: 3 }]);
    expect(await page(0, 2)).toHaveLength(2);
  });

  it('keep the first stored version, and are deleted with time', async () => {
    await add('overview', 1, 'first');
    await add('overview', 1, 'second');
    expect(await page(0, 1)).toEqual([{ at: 1, readings: 'first' }]);
    await store.prune({ now: 0, before: 2, requests: 0, record: 0, wall: 0 });
    expect(await page(0, 1)).toEqual([]);
  });
});
