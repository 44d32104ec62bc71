import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type MarketClock, marketClock, type WallClock, wallClock } from '#src/runtime/clock.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import type { Archive } from '#src/service/archive/archive.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { type Collecting, startCollecting } from '#src/service/collecting/collecting.ts';
import { qualityAt } from '#src/service/handlers/data-quality.ts';
import type { Market } from '#src/service/simulation/market.ts';
import binance from '#src/service/venues/binance/venue.ts';
import { openExchanges } from '#src/service/venues/open-exchanges.ts';
import { calmMarket as market } from '#test/support/calm-market.ts';
import { patience } from '#test/support/patience.ts';
import { type SimulatedExchanges, startExchanges } from '#test/support/venues/exchanges.ts';
import type { Fault } from '#test/support/venues/fault.ts';
import { contextAt } from '../fixture.ts';

const start = Date.UTC(2025, 5, 3, 10, 7, 30);
const later = start + 40 * minute;
const log = pino({ level: 'silent' });

const standing = (now: number): MarketClock => ({
  now: () => now,
  speed: 1,
  wallUntil: (at) => Math.max(0, at - now),
});
/** A wall clock ten times as fast, so that pauses of seconds take tenths. */
const began = Date.now();
const fast: WallClock = {
  now: () => began + (Date.now() - began) * 10,
  sleep: (ms, signal) => wallClock.sleep(ms / 10, signal),
};

let folder: string;
let archive: Archive;
let exchanges: SimulatedExchanges;
let collecting: Collecting | undefined;
let asked: { path: string; at: number }[];

interface Scene {
  readonly fault?: (path: string) => Fault | undefined;
  readonly market?: Market;
  readonly clock?: MarketClock;
  readonly exchangeClock?: MarketClock;
  /** Whether requests are answered within this thread: without the network, and without faults. */
  readonly within?: boolean;
}

/** Continues from the archive of an earlier process at `start`, over exchanges with the scene's faults. */
async function play(scene: Scene, from?: string, forget = false) {
  const file = join(folder, `${Math.random()}.db`);
  if (from !== undefined) await copyFile(from, file);
  archive = await openArchive(`file:${file}`);
  if (forget) await archive.put('universe', null);
  const clock = scene.clock ?? standing(later);
  asked = [];
  exchanges = await startExchanges({
    market: scene.market ?? market,
    clock: scene.exchangeClock ?? clock,
    fault(path) {
      asked.push({ path, at: fast.now() });
      return scene.fault?.(path);
    },
  });
  const { signal } = new AbortController();
  const opened = openExchanges(exchanges.urls, {
    venue: binance,
    wall: fast,
    signal,
    ...(scene.within === true && { transport: exchanges.transport }),
  });
  const { prices: _, ...unpriced } = opened.markets;
  collecting = startCollecting({
    archive,
    // Where the market stands still, nothing ever comes on a stream. Without one, prices are asked for every second, as of a
    // model, which would leave nothing of the limits.
    exchanges: clock.speed > 1 ? opened : { ...opened, markets: unpriced, streams: undefined },
    clock,
    wall: fast,
    symbols: 2,
    log,
    random: () => 1,
    signal,
  });
  return file;
}
async function end() {
  await collecting?.stop();
  await exchanges.close();
  await archive.close();
}

let whole: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-faults-'));
  whole = await play({ clock: standing(start), within: true });
  await collecting?.ready;
  // What is missing of the past then would be loaded again by each test that continues from here.
  await vi.waitUntil(() => collecting?.progress() === 1, { interval: 10, timeout: patience });
  await end();
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(end);

const eventually = <Value>(ask: () => Promise<Value> | Value) =>
  expect.poll(ask, { interval: 10, timeout: patience });
const problems = async () =>
  Object.fromEntries(
    (await archive.feeds()).flatMap(({ feed, problem }) => (problem === null ? [] : [[feed, problem]])),
  );
const quality = async (now = later) => {
  const context = await contextAt(archive, now);
  return qualityAt({ ...context, universe: collecting?.universe() ?? [] });
};
const newest = async (series: 'candles1h' | 'openInterest' | 'topRatio' | 'marks', symbol = 'BTCUSDT') =>
  (await archive.last(series, { symbol, count: 1, to: later + day }))[0]?.time;

const path = '/futures/data/openInterestHist';
const answering = (status: number, body = '', headers = {}): Fault => ({
  kind: 'answer',
  status,
  body,
  headers,
});
const rewriting = (rewrite: (body: string) => string): Fault => ({ kind: 'rewrite', rewrite });

describe('if one path of an exchange fails, its own check degrades and nothing else stops', () => {
  it.each<[string, Fault, RegExp]>([
    ['5xx', answering(503), /HTTP 503/],
    ['HTML', answering(200, '<html>maintenance</html>'), /HTML/],
    ['half a JSON', rewriting((body) => body.slice(0, body.length / 2)), /not JSON/],
    ['a cut connection', { kind: 'reset' }, /no answer/],
    [
      'a changed field type',
      rewriting((body) => body.replaceAll(/"sumOpenInterest":"([^"]+)"/g, '"sumOpenInterest":$1')),
      /sumOpenInterest/,
    ],
    ['a field that is gone', rewriting((body) => body.replaceAll('"timestamp"', '"time"')), /timestamp/],
  ])('%s', async (_, fault, message) => {
    await play({ fault: (asked) => (asked === path ? fault : undefined) }, whole);
    await eventually(problems).toEqual({ 'open-interest': expect.stringMatching(message) });
    await eventually(() => newest('topRatio')).toBe(Math.floor(later / (15 * minute)) * 15 * minute);
    await eventually(() => newest('marks')).toBe(Math.floor(later / (5 * minute)) * 5 * minute);
    const { status, checks } = await quality();
    const fresh = Object.fromEntries(Object.entries(checks).map(([name, check]) => [name, check.fresh]));
    expect([status, fresh]).toEqual([
      'DEGRADED',
      { candles: true, funding_history: true, oi_history: false, liquidation_events: true },
    ]);
  });
});

describe('an exchange that asks to pause', () => {
  it.each([
    ['429 with Retry-After', 429],
    ['418, a ban', 418],
  ])('%s: it gets no request until then, other exchanges continue, then all is well', async (_, status) => {
    // It refuses until the problem has been seen, however slow the machine is.
    let seen = false;
    const refusals: number[] = [];
    const refuse = (asked: string) => {
      if (asked !== path || seen) return undefined;
      refusals.push(fast.now());
      return answering(status, '{"code":-1003,"msg":"Too many requests"}', { 'retry-after': '10' });
    };
    await play({ fault: refuse }, whole);
    await eventually(problems).toMatchObject({ 'open-interest': expect.stringMatching(`HTTP ${status}`) });
    seen = true;
    await eventually(() => newest('openInterest')).toBe(Math.floor(later / (5 * minute)) * 5 * minute);
    await eventually(problems).toEqual({});
    // A request for the other symbol may have been in progress; a new round would request both symbols. The other paths are
    // tested with the client.
    for (const refused of refusals) {
      const again = asked.filter(({ path: of, at }) => of === path && at > refused && at < refused + 9_900);
      expect(again.length).toBeLessThanOrEqual(1);
    }
    expect(asked.some((request) => request.path.startsWith('/api/v2/'))).toBe(true);
  });
});

describe('the liquidation socket', () => {
  const moving = () => marketClock(wallClock, { market: later, wall: Date.now(), speed: 2_400 });
  const problem = async () => (await problems()).liquidations;

  it.each<[string, Scene]>([
    [
      'acknowledges and never speaks',
      { fault: (asked) => (asked.includes('/ws') ? { kind: 'hang' } : undefined) },
    ],
    ['refuses', { fault: (asked) => (asked.includes('/ws') ? answering(503) : undefined) }],
    [
      'falls silent',
      {
        market: {
          ...market,
          outages: (from) => [{ upstream: 'liquidations', from, to: Number.POSITIVE_INFINITY }],
        },
      },
    ],
  ])('%s: its check degrades, nothing else stops', async (_, scene) => {
    const clock = moving();
    await play({ ...scene, clock }, whole);
    await eventually(problem).toMatch(/nothing heard|cannot be reached/);
    const { checks } = await quality(clock.now());
    expect(checks.liquidation_events?.fresh).toBe(false);
    const before = clock.now();
    await eventually(() => newest('openInterest')).toBeGreaterThan(before - 5 * minute);
  });
});

describe('symbols and clocks', () => {
  it('a delisted symbol is reported, and the others continue', async () => {
    const instruments = market.instruments.filter(({ symbol }) => symbol !== 'ETHUSDT');
    await play({ market: { ...market, instruments } }, whole);
    await eventually(problems).toMatchObject({
      'open-interest': expect.stringMatching(/^ETHUSDT: .*Invalid symbol/),
    });
    await eventually(() => newest('openInterest')).toBe(Math.floor(later / (5 * minute)) * 5 * minute);
    expect((await quality()).checks.oi_history.fresh).toBe(true);
  });

  it.each([
    ['at the first start', true],
    ['after a restart', false],
  ])(
    'a clock an hour ahead of the exchange, %s: nothing is requested of its future, and no feed fails',
    async (_, forget) => {
      const [ours, theirs] = [standing(later + hour), standing(later)];
      await play({ clock: ours, exchangeClock: theirs }, whole, forget);
      const last = Math.floor(later / (5 * minute)) * 5 * minute;
      await eventually(() => newest('openInterest')).toBe(last);
      expect(await problems()).toEqual({});
      expect(await newest('topRatio')).toBeLessThanOrEqual(later);
      const candles = async () => (await archive.feeds()).find(({ feed }) => feed === 'candles');
      await eventually(candles).toMatchObject({ lastUpdate: later });
      expect(await newest('candles1h')).toBeLessThanOrEqual(later - hour);
    },
  );
});
