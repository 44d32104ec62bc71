import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FeedState } from '#src/service/archive/archive.ts';
import type { AnswerSource } from '#src/service/archive/sources.ts';
import { createPriceTable } from '#src/service/collecting/price-table.ts';
import type { Present } from '#src/service/handlers/present.ts';
import { follow, keepPublishingState } from '#src/service/run/shared-state.ts';
import { fakeClock } from '#test/support/clock.ts';

const log = pino({ level: 'silent' });

const feeds: FeedState[] = [
  { feed: 'marks', lastUpdate: 0, problem: null },
  { feed: 'liquidations', lastUpdate: 0, problem: 'silent for 10 min' },
];

/** Starts a service that follows another collector, with a clock that the test moves. */
async function startFollowing() {
  const wall = fakeClock();
  const documents = new Map<string, unknown>();
  const archive = {
    get: async (name: string) => documents.get(name) ?? null,
    async put(name: string, value: unknown) {
      documents.set(name, structuredClone(value));
    },
    feeds: async () => feeds,
    readAll: async () => [],
  };
  const prices = createPriceTable();
  const heard = { itself: false };
  const changed: AnswerSource[] = [];
  const following = await follow({
    ...{ archive, prices, wall, steady: wall, log, live: false, speed: 20, venues: [] },
    hearsPrices: () => heard.itself,
    changed: (source) => void changed.push(source),
    onReady() {},
  });
  onTestFinished(() => following.stop());
  let life = 0;
  return {
    following,
    changed,
    documents,
    heard,
    wall,
    tell(present: Partial<Present>, changes = new Map<AnswerSource, number>()) {
      life += 1;
      const whole: Present = {
        clock: { speed: 20, now: () => wall.now() * 20, wallUntil: () => 0 },
        pace: () => 20,
        venues: () => [],
        universe: () => ['BTCUSDT'],
        listed: () => new Map(),
        prices: () => undefined,
        ask: async () => {},
        progress: () => 1,
        ready: () => true,
        stale: () => false,
        feeds: async () => feeds,
        ...present,
      };
      const telling = keepPublishingState(whole, { life, changes, archive, wall, log });
      onTestFinished(() => telling.stop());
      return telling;
    },
  };
}

it('a follower responds once it has heard from a ready collector', async () => {
  const { following, tell, wall } = await startFollowing();
  await wall.advance(5_000);
  expect(following.ready()).toBe(false);
  tell({});
  await wall.advance(5_000);
  expect(following.ready()).toBe(true);
  expect(following.universe()).toEqual(['BTCUSDT']);
});

it('a follower does not take the last state of an ended collector for the present', async () => {
  const { following, tell, wall } = await startFollowing();
  await tell({ ready: () => false }).stop();
  await wall.advance(60_000);
  expect(following.ready()).toBe(false);
});

it('a follower is stale once no collector has written for ten seconds, until another one does', async () => {
  const { following, tell, wall } = await startFollowing();
  const first = tell({});
  await wall.advance(60_000);
  expect(following.stale()).toBe(false);
  await first.stop();
  await wall.advance(9_000);
  expect(following.stale()).toBe(false);
  await wall.advance(3_000);
  expect([following.ready(), following.stale()]).toEqual([true, true]);
  tell({});
  await wall.advance(2_000);
  expect(following.stale()).toBe(false);
});

it('a stale follower reports that no feed is collected, in a new response', async () => {
  const { following, changed, tell, wall } = await startFollowing();
  const problems = async () => (await following.feeds()).map(({ problem }) => problem);
  const first = tell({});
  await wall.advance(5_000);
  expect(await problems()).toEqual([null, 'silent for 10 min']);
  await first.stop();
  await wall.advance(12_000);
  expect(await problems()).toEqual(['no data service is collecting', 'silent for 10 min']);
  expect(changed).toEqual(['state']);
  tell({});
  await wall.advance(3_000);
  expect(await problems()).toEqual([null, 'silent for 10 min']);
  expect(changed).toEqual(['state', 'state']);
});

it('a follower continues to respond from its data while the next collector is not ready', async () => {
  const { following, changed, tell, wall } = await startFollowing();
  const first = tell({}, new Map([['candles1h', 3]]));
  await wall.advance(5_000);
  await first.stop();
  let ready = false;
  tell({ ready: () => ready, universe: () => (ready ? ['ETHUSDT'] : []) }, new Map([['funding', 1]]));
  await wall.advance(5_000);
  const before = following.clock.now();
  expect([following.ready(), following.universe()]).toEqual([true, ['BTCUSDT']]);
  expect(changed).toEqual(['candles1h']);

  ready = true;
  await wall.advance(5_000);
  expect([following.ready(), following.universe()]).toEqual([true, ['ETHUSDT']]);
  expect(following.clock.now()).toBeGreaterThan(before);
  expect(changed).toEqual(['candles1h', 'funding']);
});

describe('the newest prices', () => {
  /** A collector whose table has two markets, and a follower of it. */
  const startPrices = async () => {
    const started = await startFollowing();
    const told = createPriceTable();
    const now = () => started.wall.now() * 20;
    const say = (price: number) => {
      told.take(
        [
          { symbol: 'BTCUSDT', price, markPrice: price + 1, indexPrice: price - 1 },
          { symbol: 'ETHUSDT', price: 2_000 },
        ],
        now(),
      );
      told.setStale(false);
    };
    const seen = () => started.following.prices();
    return { ...started, told, say, seen, now };
  };

  it('reach a follower within two seconds, each with its time, and are stale when the collector says so', async () => {
    const { tell, told, say, seen, wall } = await startPrices();
    say(50_000);
    tell({ prices: () => told });
    expect(seen()?.stale()).toBe(true);
    await wall.advance(12_000);
    say(50_100);
    await wall.advance(2_000);
    expect(seen()?.of('BTCUSDT')).toEqual({
      ...told.of('BTCUSDT'),
      revision: expect.any(Number),
    });
    expect(seen()?.of('ETHUSDT')?.price).toBe(2_000);
    expect(seen()?.stale()).toBe(false);
    told.setStale(true);
    await wall.advance(2_000);
    expect(seen()?.stale()).toBe(true);
  });

  it('are stale within 7 s once nobody writes, and of now again with the next collector', async () => {
    const { tell, told, say, seen, wall } = await startPrices();
    const first = tell({ prices: () => told });
    await wall.advance(12_000);
    say(50_000);
    await wall.advance(2_000);
    expect(seen()?.stale()).toBe(false);
    await first.stop();
    await wall.advance(7_000);
    expect(seen()?.stale()).toBe(true);
    tell({ prices: () => told });
    await wall.advance(3_000);
    say(50_200);
    await wall.advance(3_000);
    expect([seen()?.stale(), seen()?.of('BTCUSDT')?.price]).toEqual([false, 50_200]);
  });

  it('are not written while nobody follows', async () => {
    const { following, tell, told, say, wall, documents } = await startPrices();
    tell({ prices: () => told });
    await wall.advance(20_000);
    await following.stop();
    await wall.advance(20_000);
    documents.delete('prices');
    say(50_000);
    await wall.advance(20_000);
    expect(documents.has('prices')).toBe(false);
  });

  it('of a process that hears them itself are not mixed with what another wrote', async () => {
    const { tell, told, say, seen, wall, heard } = await startPrices();
    tell({ prices: () => told });
    await wall.advance(12_000);
    say(50_000);
    await wall.advance(2_000);
    heard.itself = true;
    say(51_000);
    await wall.advance(10_000);
    expect([seen()?.of('BTCUSDT')?.price, seen()?.stale()]).toEqual([50_000, false]);
  });
});
