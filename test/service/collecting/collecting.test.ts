import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type MarketClock, marketClock, type WallClock, wallClock } from '#src/runtime/clock.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import type { Archive, SeriesName } from '#src/service/archive/archive.ts';
import { marketAt } from '#src/service/archive/identity.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { type Collecting, startCollecting } from '#src/service/collecting/collecting.ts';
import binance from '#src/service/venues/binance/venue.ts';
import hyperliquid from '#src/service/venues/hyperliquid/venue.ts';
import { openExchanges } from '#src/service/venues/open-exchanges.ts';
import type { OpenVenue } from '#src/service/venues/others.ts';
import type { VenueClient } from '#src/service/venues/venue.ts';
import { calmMarket as market } from '#test/support/calm-market.ts';
import { patience } from '#test/support/patience.ts';
import { type SimulatedExchanges, startExchanges } from '#test/support/venues/exchanges.ts';
import type { Fault } from '#test/support/venues/fault.ts';

const start = Date.UTC(2025, 5, 3, 10, 7, 30);
const tracked = ['BTCUSDT', 'ETHUSDT'];
const log = pino({ level: 'silent' });

/** A market that stands still, so that the results of two processes can be compared. */
const standing: MarketClock = { now: () => start, speed: 1, wallUntil: (at) => Math.max(0, at - start) };
/** Waits of minutes end at once. */
const hurried: WallClock = {
  now: () => Date.now(),
  sleep: (ms, signal) => wallClock.sleep(Math.min(ms, 10), signal),
};

let folder: string;
let archive: Archive;
let exchanges: SimulatedExchanges;
let collecting: Collecting | undefined;
let asked: string[];
let fault: (path: string) => Fault | undefined;
/** File of an archive that was filled without interruption. */
let whole: string;

const open = async (clock: MarketClock = standing, from?: string) => {
  const file = join(folder, `${Math.random()}.db`);
  if (from !== undefined) await copyFile(from, file);
  archive = await openArchive(`file:${file}`);
  exchanges = await startExchanges({
    market,
    clock,
    fault: (path) => {
      asked.push(path);
      return fault(path);
    },
  });
  return file;
};
const close = async () => {
  await collecting?.stop();
  await exchanges.close();
  await archive.close();
};
const collect = (
  clock: MarketClock = standing,
  wall: WallClock = wallClock,
  others: readonly OpenVenue[] = [],
) => {
  const { signal } = new AbortController();
  const opened = openExchanges(exchanges.urls, { venue: binance, wall, signal });
  collecting = startCollecting({
    archive,
    others,
    // Where the market stands still, nothing ever comes on a stream.
    exchanges: { ...opened, streams: clock === standing ? undefined : opened.streams },
    clock,
    wall,
    symbols: tracked.length,
    log,
    signal,
  });
  return collecting;
};
const filled = (running: Collecting) =>
  vi.waitFor(() => expect(running.progress()).toBe(1), { interval: 10, timeout: patience });
const begin = () => {
  [asked, fault, collecting] = [[], () => undefined, undefined];
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-collecting-'));
  begin();
  whole = await open();
  await filled(collect());
  await close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(begin);
afterEach(close);

describe('a first start', () => {
  it('is ready with every default window and two years of BTC, and every feed is healthy', async () => {
    await open();
    const running = collect();
    await running.ready;
    expect(running.universe().toSorted()).toEqual(tracked);

    const windows: [SeriesName, string, number, number][] = [
      ['candles1h', 'BTCUSDT', hour, 729 * day],
      ['candles1h', 'ETHUSDT', hour, 7 * day],
      ['funding', 'ETHUSDT', 8 * hour, 29 * day],
      ['openInterest', 'ETHUSDT', 5 * minute, 23 * hour],
      ['marks', 'ETHUSDT', 5 * minute, 23 * hour],
      ['topRatio', 'ETHUSDT', 15 * minute, 23 * hour],
      ['globalRatio', 'BTCUSDT', 15 * minute, 23 * hour],
      ['observations', 'fear_greed', day, 300 * day],
      ['observations', 'stablecoins', day, 300 * day],
    ];
    for (const [series, symbol, step, past] of windows) {
      const to = Math.floor(start / step) * step - (series === 'candles1h' ? hour : 0);
      const gaps = await archive.gaps(series, { symbol, window: { from: to - past, to, step } });
      expect({ series, symbol, gaps }).toEqual({ series, symbol, gaps: [] });
    }
    // A machine that is too busy to answer itself for seconds is no failure.
    const failing = async () => (await archive.feeds()).filter(({ problem }) => problem !== null);
    await expect.poll(failing).toEqual([]);
  });

  it('fills the whole past afterwards', async () => {
    await open(standing, whole);
    const years = { from: start - 700 * day, to: start - day, step: hour };
    expect(await archive.gaps('candles1h', { symbol: 'ETHUSDT', window: years })).toEqual([]);
    const month = { from: start - 29 * day, to: start - day, step: 5 * minute };
    expect(await archive.gaps('openInterest', { symbol: 'BTCUSDT', window: month })).toEqual([]);
  });

  it('keeps only closed candles, as the market has them', async () => {
    await open(standing, whole);
    const [last] = await archive.last('candles1h', { symbol: 'BTCUSDT', count: 1, to: start });
    const closed = Math.floor(start / hour) * hour - hour;
    const [expected] = market.candles('BTCUSDT', { from: closed, to: closed });
    expect(last?.time).toBe(closed);
    expect(last?.close).toBeCloseTo(expected?.close ?? 0, 1);
    expect(last?.takerBuy).toBeCloseTo(expected?.takerBuy ?? 0, 1);
  });
});

/** For a kill in the middle of the backfill see test/kill-service. */
describe('a process that dies', () => {
  it('is ready at once when it starts again, without a request', async () => {
    await open(standing, whole);
    const running = collect();
    await running.ready;
    expect(asked).toEqual([]);
    expect(running.universe().toSorted()).toEqual(tracked);
  });

  it('fetches what it missed when it is back', async () => {
    const later: MarketClock = { ...standing, now: () => start + 3 * hour };
    await open(later, whole);
    const running = collect(later);
    await running.ready;
    await filled(running);
    for (const [series, step] of [
      ['candles1h', hour],
      ['openInterest', 5 * minute],
      ['marks', 5 * minute],
    ] as const) {
      const to = Math.floor(later.now() / step) * step - (series === 'candles1h' ? hour : 0);
      const gaps = () =>
        archive.gaps(series, { symbol: 'ETHUSDT', window: { from: to - 6 * hour, to, step } });
      await expect.poll(gaps, { timeout: patience }).toEqual([]);
    }
  });
});

describe('a feed that fails', () => {
  it('says so, and stops no other feed', async () => {
    fault = (path) => {
      if (path.startsWith('/futures/data/openInterestHist'))
        return { kind: 'answer', status: 500, body: '<html>' };
      if (path.startsWith('/api/v2/')) return { kind: 'rewrite', rewrite: (body) => body.slice(0, 100) };
      return path === '/fng/' ? { kind: 'reset' } : undefined;
    };
    await open();
    await collect(standing, hurried).ready;
    const problems = (await archive.feeds()).filter(({ problem }) => problem !== null);
    expect(Object.fromEntries(problems.map(({ feed, problem }) => [feed, problem]))).toEqual({
      'open-interest': expect.stringMatching(/openInterestHist.*HTTP 500/),
      options: expect.stringMatching(/get_book_summary_by_currency.*not JSON/),
      'fear-greed': expect.stringMatching(/fng.*no answer/),
    });
    expect(await archive.last('candles1h', { symbol: 'BTCUSDT', count: 1, to: start })).toHaveLength(1);
    expect(await archive.latest('openInterest', start)).toEqual([]);
  });

  it('that recovers is healthy again', async () => {
    let failing = true;
    fault = (path) => (failing && path === '/fng/' ? { kind: 'answer', status: 503 } : undefined);
    await open(standing, whole);
    collect(standing, hurried);
    const feed = async () => (await archive.feeds()).find((state) => state.feed === 'fear-greed')?.problem;
    await expect.poll(feed, { interval: 10, timeout: patience }).toMatch(/503/);
    failing = false;
    await expect.poll(feed, { interval: 10, timeout: patience }).toBeNull();
  });

  it('candles are required: nothing can be answered without them', async () => {
    let failing = true;
    fault = (path) => (failing && path === '/fapi/v1/klines' ? { kind: 'answer', status: 500 } : undefined);
    await open();
    const running = collect(standing, hurried);
    let ready = false;
    void running.ready.then(() => {
      ready = true;
    });
    const problem = async () => (await archive.feeds()).find(({ feed }) => feed === 'candles')?.problem;
    await expect.poll(problem, { interval: 10, timeout: patience }).toMatch(/HTTP 500/);
    expect(ready).toBe(false);
    failing = false;
    await running.ready;
  });
});

describe('a database that is away', () => {
  /** Returns the archive, of which each of these methods fails at first, `put` and `get` for each document. */
  const faltering = (whole: Archive): Archive => {
    const calls = new Map<string, number>();
    const failing =
      (name: 'feeds' | 'get' | 'put' | 'writeFeed') =>
      async (...given: readonly unknown[]) => {
        const call = `${name} ${typeof given[0] === 'string' ? given[0] : ''}`;
        calls.set(call, (calls.get(call) ?? 0) + 1);
        if ((calls.get(call) ?? 0) <= 2) throw new Error('the database is away');
        return Reflect.apply(whole[name], whole, given);
      };
    const methods = Object.fromEntries(
      (['feeds', 'get', 'put', 'writeFeed'] as const).map((name) => [name, failing(name)]),
    );
    return Object.assign(Object.create(whole), methods);
  };

  it('at the start is asked again: symbols are chosen, and other venues are read', async () => {
    await open(standing, whole);
    await archive.put('universe', null);
    const marks: VenueClient['marks'] = async (symbols, time) =>
      symbols.map((symbol) => ({ symbol, time, markPrice: 2, indexPrice: 1, estFunding: 0.001 }));
    const other: OpenVenue = {
      venue: hyperliquid,
      client: { marks, openInterest: async () => [] } as Partial<VenueClient> as VenueClient,
    };
    archive = faltering(archive);
    const running = collect(standing, hurried, [other]);
    await running.ready;
    expect(running.universe().toSorted()).toEqual(tracked);
    const ofOther = async () => (await archive.latest('venueMarks', start)).map(({ symbol }) => symbol);
    await expect
      .poll(ofOther, { interval: 10, timeout: patience })
      .toEqual(tracked.map((symbol) => marketAt('hyperliquid', symbol)));
    const state = async () => (await archive.feeds()).find(({ feed }) => feed === 'venues');
    await expect.poll(state, { interval: 10, timeout: patience }).toMatchObject({ problem: null });
  });
});

describe('a moving market', () => {
  it('the liquidations of its stream are stored, and listeners hear of written rows', async () => {
    const clock = marketClock(wallClock, { market: start, wall: Date.now(), speed: 2_400 });
    await open(clock, whole);
    const running = collect(clock);
    const heard = new Set<string>();
    running.onData((series, symbols) => {
      for (const symbol of symbols) heard.add(`${series} ${symbol}`);
    });
    await running.ready;
    await expect
      .poll(() => heard.has('openInterest BTCUSDT') && heard.has('liquidations BTCUSDT'), {
        timeout: patience,
      })
      .toBe(true);
    const kept = await archive.liquidations({ after: start, to: start + day, limit: 1e6 });
    const sent = market.liquidations(start, Math.floor(clock.now()));
    expect(sent).toEqual(expect.arrayContaining([...kept]));
  });
});
