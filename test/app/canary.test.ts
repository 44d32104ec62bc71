import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { createCanary } from '#src/app/canary.ts';
import type { DataClient } from '#src/contract/data-client.ts';
import { startPipeline } from '#src/pipeline/pipeline.ts';
import { createWatch } from '#src/pipeline/watch.ts';
import { realTime } from '#src/runtime/clock.ts';
import { createPace } from '#src/runtime/pace.ts';
import { hour, minute, second } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import { receiver, start, subscription } from '#test/support/alerts.ts';
import { fakeClock } from '#test/support/clock.ts';
import { recorder } from '#test/support/pipeline.ts';

const log = pino({ level: 'silent' });

/** Wall ms. */
const settled = 8 * second;

/** A bot in real time, with one chat that subscribes to everything. `broken`: the part of the way that does not work. */
async function bot(broken?: 'detector' | 'expansion' | 'delivery' | 'notifier') {
  const wall = fakeClock(start);
  const store = await openStore('file::memory:');
  await store.subscriptions.add(subscription());
  let ahead = 0;
  const now = () => wall.now() + ahead;
  const meta = { last: () => ({}) as never, market: () => ({ ...realTime(wall), now }) };
  const canary = createCanary({ store, meta, watches: true, wall, steady: { now } });
  const { sent, connection } = recorder();
  let works = broken === undefined;
  const outlet = {
    ...canary.outlet,
    connection: {
      ...canary.outlet.connection,
      send: async (...given: Parameters<typeof canary.outlet.connection.send>) => {
        if (broken === 'notifier' && !works) throw new Error('broken');
        return canary.outlet.connection.send(...given);
      },
    },
  };
  const mine = (fail: boolean) => () => (fail && !works ? Promise.reject(new Error('broken')) : null);
  const failing = {
    ...store,
    under: (lease: Parameters<typeof store.under>[0]) => {
      const own = store.under(lease);
      const next: typeof own.expansion.next = async (...given) =>
        (await mine(broken === 'expansion')()) ?? own.expansion.next(...given);
      const look: typeof own.outbox.next = async (given) =>
        (await mine(broken === 'delivery')()) ?? own.outbox.next(given);
      return { ...own, expansion: { ...own.expansion, next }, outbox: { ...own.outbox, next: look } };
    },
  };
  const pipeline = await startPipeline({
    store: failing,
    outlets: [{ name: 'web', connection, concurrency: 8, pace: createPace({}, wall) }, outlet],
    inhibitRules: [],
    expireAfter: 24 * hour,
    pageSize: 500,
    now,
    wall,
    steady: wall,
    ttl: 240 * hour,
    random: () => 0.5,
    source: () => 'simulated',
    log,
    count: () => {},
  });
  const watch = createWatch({
    watched: [canary.watched],
    data: {} as DataClient,
    store,
    market: meta.market,
    wall,
    log,
    blind: { periods: 3, atLeast: minute },
  });
  const watching = watch.start(pipeline, () => works || broken !== 'detector');
  onTestFinished(async () => {
    await watching.stop();
    await pipeline.stop();
    await store.close();
  });
  return {
    store,
    sent,
    canary,
    watch,
    /** Lets time pass, of which the last seconds are long enough for an alert to go the whole way. */
    pass: async (ms: number) => {
      ahead += ms - settled;
      await wall.advance(settled);
    },
    repair: () => {
      works = true;
    },
  };
}

it('a test alert goes the whole way each hour, and nobody sees it', async () => {
  const { store, sent, canary, watch, pass } = await bot();
  expect(await canary.read()).toEqual({ last: null, late: false });
  await pass(6 * minute);
  expect(await canary.read()).toMatchObject({ last: expect.any(Number), late: false });
  await pass(3 * hour);
  const { last, late } = await canary.read();
  expect([Math.floor(((last ?? 0) - start) / hour), late]).toEqual([3, false]);
  expect(sent).toEqual([]);
  expect(watch.status()).toEqual([]);
  expect(await store.alerts.recent(10)).toEqual([]);
  expect(await store.log.page({ receiver: receiver(), limit: 10 })).toEqual([]);
  expect(await store.chain.head()).toMatchObject({ n: 0 });
});

it.each(['detector', 'expansion', 'delivery', 'notifier'] as const)(
  'a test alert that does not arrive because the %s is broken is late, until it arrives',
  async (broken) => {
    const { canary, pass, repair } = await bot(broken);
    expect((await canary.read()).late).toBe(false);
    await pass(12 * minute);
    expect(await canary.read()).toEqual({ last: null, late: true });
    repair();
    await pass(70 * minute);
    expect((await canary.read()).late).toBe(false);
  },
);

it('one that arrived an hour ago is late if no other came, and is not while an operator has paused sending', async () => {
  const { store, canary, pass } = await bot();
  await pass(6 * minute);
  await store.sending.pause({ at: start, by: 'operator' });
  await pass(2 * hour);
  expect((await canary.read()).late).toBe(false);
});

it('a receipt from ahead of now counts for nothing', async () => {
  const { store, canary, pass } = await bot('detector');
  await store.settings.put('canary', JSON.stringify({ madeAt: start + 24 * 365 * hour }));
  await canary.read();
  await pass(12 * minute);
  expect(await canary.read()).toEqual({ last: null, late: true });
});
