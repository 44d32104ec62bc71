import { beforeEach, expect, it } from 'vitest';
import type { Alert } from '#src/alert/alert.ts';
import { day, hour } from '#src/runtime/units.ts';
import type { Store } from '#src/store/ports.ts';
import { firing, start } from '#test/support/alerts.ts';
import { onStores } from '#test/support/databases.ts';
import { ownStore } from '#test/support/own-store.ts';
import { claimOf, post } from '#test/support/posting.ts';

const market = 'simulated 7';
const symbol = 'BTCUSDT';

onStores('outcomes', (url) => {
  let store: Store;
  beforeEach(async () => {
    store = await ownStore(await url());
  });

  const alert = firing({ symbol: 'BTCUSDT' });
  const follow = (one: Alert = alert, of = market) =>
    store.dispatch((unit) => unit.followPrice(one, { market: of, symbol: 'BTCUSDT', prediction: 'up' }));
  /** Stores this price for everything that is due. */
  const look = async (now: number, price: number | null, estimated = false) => {
    const looks = await store.outcomes.due(market, { now, limit: 10 });
    await store.outcomes.keep(looks.map((each) => ({ look: each, price, estimated })));
    return looks;
  };

  it('are due when the alert fires and after each horizon, one price at a time', async () => {
    await follow();
    const turns = [];
    for (const at of [start - 1, start, start + hour - 1, start + hour, start + 2 * day, start + 2 * day])
      turns.push(
        (await look(at, at - start)).map(({ priceIndex: turn, at: wanted }) => [turn, wanted - start]),
      );
    expect(turns).toEqual([[], [[0, 0]], [], [[1, hour]], [[2, 4 * hour]], [[3, day]]]);
    expect(await look(start + 9 * day, 1)).toEqual([]);
  });

  it('count only once the alert was sent to someone', async () => {
    await follow();
    const claim = await claimOf(store, alert);
    await look(start, 100.5);
    await look(start + hour, null);
    await look(start + 4 * hour, 102.25, true);
    expect(await store.outcomes.posted(market)).toEqual([]);
    await store.outbox.settle([
      { kind: 'suppressed', claim, at: start, reason: { code: 'silenced', text: 'silenced' } },
    ]);
    expect(await store.outcomes.posted(market)).toEqual([]);
    await store.outbox.settle([{ kind: 'sent', claim, at: start, reference: 'm', shown: {}, note: null }]);
    expect(await store.outcomes.posted(market)).toEqual([
      {
        kind: alert.labels.kind,
        symbol: 'BTCUSDT',
        prediction: 'up',
        firedAt: start,
        price: 100.5,
        after: [null, 102.25, null],
        estimated: true,
      },
    ]);
    expect(await store.outcomes.posted(market, { kind: 'another' })).toEqual([]);
    expect(await store.outcomes.posted(market, { symbol: 'ETHUSDT' })).toEqual([]);
    expect(await store.outcomes.posted('live', { symbol: 'BTCUSDT' })).toEqual([]);
  });

  it('do not count for an alert that was left out of its group’s post', async () => {
    await follow();
    const claim = await claimOf(store, alert);
    const without = {
      ...claim,
      alerts: [],
      leftOut: [{ alert, reason: { code: 'silenced' as const, text: 'silenced' } }],
    };
    await store.outbox.settle([
      { kind: 'sent', claim: without, at: start, reference: 'm', shown: {}, note: null },
    ]);
    expect(await store.outcomes.posted(market)).toEqual([]);
  });

  it('belong to one market and are not due in another', async () => {
    await follow();
    expect(await store.outcomes.due('live', { now: start + day, limit: 10 })).toEqual([]);
  });

  it('do not change when the alert is dispatched or the price is stored a second time', async () => {
    await follow();
    const [first] = await look(start, 100);
    await follow();
    if (first !== undefined) await store.outcomes.keep([{ look: first, price: 7, estimated: true }]);
    expect(await store.outcomes.due(market, { now: start, limit: 10 })).toEqual([]);
    await post(store, alert);
    expect(await store.outcomes.posted(market)).toMatchObject([{ price: 100, estimated: false }]);
  });

  it('include hourly prices by market and symbol, of which the first of an hour stays', async () => {
    const hours = Array.from({ length: 1_200 }, (_, h) => ({ symbol, at: start + h * hour, price: h + 0.5 }));
    await store.outcomes.addPrices(market, hours);
    await store.outcomes.addPrices(market, [{ symbol, at: start, price: 9 }]);
    await store.outcomes.addPrices(market, []);
    expect(await store.outcomes.prices(market, { symbol: 'BTCUSDT', since: start })).toEqual(
      hours.map(({ at, price }) => ({ at, price })),
    );
    expect(
      await store.outcomes.prices(market, { symbol: 'BTCUSDT', since: start + 1_199 * hour }),
    ).toHaveLength(1);
    expect(await store.outcomes.prices(market, { symbol: 'ETHUSDT', since: 0 })).toEqual([]);
    expect(await store.outcomes.prices('live', { symbol: 'BTCUSDT', since: 0 })).toEqual([]);
  });

  it('are deleted after their horizon', async () => {
    await follow();
    await store.outcomes.addPrices(market, [
      { symbol, at: start, price: 1 },
      { symbol, at: start + hour, price: 2 },
    ]);
    await store.prune({ now: 0, before: 0, requests: 0, record: start + 1, wall: 0 });
    expect(await store.outcomes.due(market, { now: start, limit: 10 })).toEqual([]);
    expect(await store.outcomes.prices(market, { symbol: 'BTCUSDT', since: 0 })).toHaveLength(1);
  });
});
