import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realTime, type WallClock, wallClock } from '#src/runtime/clock.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour } from '#src/runtime/units.ts';
import type { Archive } from '#src/service/archive/archive.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { createBackfill } from '#src/service/collecting/backfill.ts';
import { type CollectorContext, defineHistory } from '#src/service/collecting/collectors/collector.ts';
import { openFeed } from '#src/service/collecting/feed-health.ts';
import type { RunningCollector } from '#src/service/collecting/rounds.ts';
import { openUniverse, type Universe } from '#src/service/collecting/universe.ts';
import { failureOf } from '#src/service/exchanges/failure.ts';
import type { PageRequest, VenueClient } from '#src/service/venues/venue.ts';

const now = 1_000 * hour;
const log = pino({ level: 'silent' });
const wall: WallClock = { now: () => now, sleep: () => wallClock.sleep(0) };
const universe: Universe = {
  symbols: () => ['A', 'B'],
  listed: () => new Map(),
  learn() {},
  ask: () => false,
  listedAt: (symbol) => (symbol === 'B' ? now - 3 * hour : 0),
  aheadBy: () => 0,
  measureClock: async () => {},
  isUsable: () => true,
  isStale: () => false,
  renew: async () => {},
  applyList: async () => {},
};

let archive: Archive;
let asked: string[];
let answer: (symbol: string, page: PageRequest) => number[];

beforeEach(async () => {
  archive = await openArchive('file::memory:');
  asked = [];
  answer = (_, { from, to }) =>
    Array.from({ length: (to - from) / hour + 1 }, (_, index) => from + index * hour);
});
afterEach(() => archive.close());

const running = (required = false): RunningCollector => {
  const write: CollectorContext['write'] = (series, rows) => archive.write(series, rows);
  const context = {
    archive,
    wall,
    write,
    random: () => 1,
    signal: new AbortController().signal,
    symbols: universe.symbols,
  } as Partial<CollectorContext> as CollectorContext;
  const history = defineHistory({
    series: 'openInterest',
    step: hour,
    pageSteps: 4,
    wanted: 10 * hour,
    needed: () => 6 * hour,
    fetch: async (symbol, page) => {
      asked.push(`${symbol} ${(page.from - now) / hour}..${(page.to - now) / hour}`);
      return answer(symbol, page).map((time) => ({ symbol, time, contracts: 1, valueUsd: 1 }));
    },
  });
  const feed = openFeed('x', { before: undefined, archive, log });
  return { collector: { name: 'x', required }, feed, histories: [history], context, now: () => now };
};
const problem = async () => (await archive.feeds())[0]?.problem;

describe('backfill', () => {
  it('tells no progress before every feed has counted what it needs', async () => {
    const counted = Promise.withResolvers<void>();
    const slow = running();
    const held = new Proxy(archive, {
      get(target, name) {
        const value = Reflect.get(target, name);
        return typeof value !== 'function'
          ? value
          : async (...given: unknown[]) => {
              await counted.promise;
              return Reflect.apply(value, target, given);
            };
      },
    });
    const backfill = createBackfill(universe);
    const first = backfill.fillNeeded(running());
    const second = backfill.fillNeeded({ ...slow, context: { ...slow.context, archive: held } });
    await first;
    expect(backfill.progress()).toBe(0);
    counted.resolve();
    await second;
    expect(backfill.progress()).toBe(0.99);
  });

  it('fetches what readiness needs first, from the listing on; then the rest, and nothing twice', async () => {
    const backfill = createBackfill(universe);
    await backfill.fillNeeded(running());
    expect(asked.toSorted()).toEqual(['A -3..0', 'A -5..-4', 'B -3..0'].toSorted());
    asked = [];
    expect(await backfill.repair([running()], true)).toBe(true);
    expect(asked).toEqual(['A -9..-6']);
    expect(backfill.progress()).toBe(1);
  });

  it('asks for nothing that the exchange no longer keeps by then', async () => {
    const backfill = createBackfill(universe);
    let time = now;
    answer = (_, { from }) => {
      expect(from).toBeGreaterThanOrEqual(time - 10 * hour);
      time += 2 * hour;
      return [];
    };
    expect(await backfill.repair([{ ...running(), now: () => time }], true)).toBe(true);
    // The oldest page of A would have been asked for when its hours were more than ten hours ago.
    expect(asked).toEqual(['A -3..0', 'A -7..-4', 'B -3..0']);
  });

  it('repairs a gap in the middle', async () => {
    const backfill = createBackfill(universe);
    answer = (_, { from, to }) => [from, to];
    await backfill.fillNeeded(running());
    answer = (_, { from }) => [from];
    asked = [];
    await backfill.repair([running()], false);
    expect(asked).toEqual(['A -2..-1', 'B -2..-1']);
  });

  it('requests a gap that its upstream cannot fill only once', async () => {
    const backfill = createBackfill(universe);
    answer = (_, { from, to }) => [from, to];
    await backfill.repair([running()], true);
    await backfill.repair([running()], true);
    asked = [];
    expect(await backfill.repair([running()], true)).toBe(true);
    expect(asked).toEqual([]);
  });

  it.each([202, 302, 404, 408])(
    'requests a gap again after HTTP %i, which says nothing about it',
    async (status) => {
      const backfill = createBackfill(universe);
      answer = (_, { from, to }) => [from, to];
      await backfill.repair([running()], true);
      const well = answer;
      answer = () => {
        throw failureOf('x', status, '');
      };
      expect(await backfill.repair([running()], true)).toBe(false);
      answer = well;
      asked = [];
      await backfill.repair([running()], true);
      expect(asked).not.toEqual([]);
    },
  );

  it.each([
    ['rows that are all invalid', { field: '0.longAccount' }, true],
    ['HTML', {}, false],
    ['an answer that is no list', { field: '' }, false],
  ])('a page of %s: a pass is repeated at once only if that may mend it', async (_, more, over) => {
    const backfill = createBackfill(universe);
    const well = answer;
    answer = (symbol, page) => {
      if (symbol === 'B') throw new ApiError('x', 'malformed', 'longs and shorts are both zero', more);
      return well(symbol, page);
    };
    // Otherwise the pass would be repeated every half minute for as long as the exchange keeps the rows.
    expect(await backfill.repair([running()], true)).toBe(over);
    expect(backfill.progress() === 1).toBe(over);
    asked = [];
    await backfill.repair([running()], true);
    expect(asked).toEqual(['B -3..0']);
  });

  it('is not delayed by a feed that waits for its own limits', async () => {
    const spent = Promise.withResolvers<number>();
    const [first, second] = [running(), running()];
    const waiting = first.histories.map((history) => ({
      ...history,
      symbols: ['A'],
      fill: () => spent.promise,
    }));
    const filling = second.histories.map((history) => ({ ...history, symbols: ['B'] }));
    const feeds = [
      { ...first, histories: waiting },
      { ...second, histories: filling },
    ];
    const repaired = createBackfill(universe).repair(feeds, false);
    const window = { from: now - 3 * hour, to: now, step: hour };
    await expect.poll(() => archive.gaps('openInterest', { symbol: 'B', window })).toEqual([]);
    spent.resolve(0);
    expect(await repaired).toBe(true);
  });

  it('is not delayed by a delisted symbol', async () => {
    answer = (symbol) => {
      if (symbol === 'B') throw new ApiError('x', 'invalid_request', 'Invalid symbol.');
      return [now];
    };
    await createBackfill(universe).fillNeeded(running(true));
    expect(await problem()).toBeUndefined();
  });

  it('tries a failing feed three times, and says why', async () => {
    answer = () => {
      throw new ApiError('x', 'server_error', 'HTTP 503');
    };
    await createBackfill(universe).fillNeeded(running());
    expect(asked.filter((page) => page === 'B -3..0')).toHaveLength(3);
    expect(await problem()).toMatch(/cannot be filled: x: HTTP 503/);
  });

  it('tries a required feed until it responds', async () => {
    let failures = 20;
    const well = answer;
    answer = (symbol, page) => {
      failures -= 1;
      if (failures >= 0) throw new ApiError('x', 'server_error', 'HTTP 503');
      return well(symbol, page);
    };
    await createBackfill(universe).fillNeeded(running(true));
    expect(failures).toBeLessThan(0);
    expect(
      await archive.gaps('openInterest', {
        symbol: 'A',
        window: { from: now - 5 * hour, to: now, step: hour },
      }),
    ).toEqual([]);
  });
});

describe('the clock against the exchange', () => {
  it.each([
    ['ahead by an hour: rounds wait for the exchange’s time', -hour, 0, hour],
    ['behind: what is newest is asked for a little late', hour, 0, 0],
    ['within two seconds: the answer’s own way', -1_500, 0, 0],
    ['right, and the answer is slow', 0, 3_000, 0],
  ])('%s', async (_, offset, delay, expected) => {
    let passed = 0;
    const markets = {
      serverTime: async () => {
        passed += delay;
        return now + offset;
      },
      listings: async () => [{ symbol: 'BTCUSDT', listed: 0, volume: 1 }],
    } as Partial<VenueClient> as VenueClient;
    const clock = realTime({ now: () => now + passed });
    const open = () => openUniverse({ archive, markets, clock, wanted: 1, log });
    const opened = await open();
    await opened.measureClock();
    await opened.renew();
    expect(opened.aheadBy()).toBe(expected);
    expect(opened.symbols()).toEqual(['BTCUSDT']);
    const reopened = await open();
    expect([reopened.aheadBy(), reopened.symbols()]).toEqual([expected, ['BTCUSDT']]);
  });
});
