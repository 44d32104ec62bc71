import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { day, hour, minute } from '#src/runtime/units.ts';
import type {
  Archive,
  Candle,
  DataCheck,
  Liquidation,
  OpenInterest,
  RegimeRow,
  TimeRange,
} from '#src/service/archive/archive.ts';
import { marketAt } from '#src/service/archive/identity.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { startArchives } from '#test/support/databases.ts';
import type { Server } from '#test/support/postgres.ts';

const start = Date.UTC(2026, 0, 1);

const candle = (symbol: string, time: number, close = 1.1): Candle => ({
  symbol,
  time,
  open: 1,
  high: 2,
  low: 0.5,
  close,
  volume: 10,
  takerBuy: 4,
  quoteVolume: 11,
});
const openInterest = (symbol: string, time: number, contracts = 1): OpenInterest => ({
  symbol,
  time,
  contracts,
  valueUsd: contracts * 2,
});
const liquidation = (symbol: string, time: number, quantity = 1): Liquidation => ({
  symbol,
  time,
  side: 'LONG',
  price: 100.5,
  quantity,
});
const regime = (time: number, riskOn = 0.5): RegimeRow => ({
  symbol: 'BTCUSDT',
  time,
  riskOn,
  riskOff: 0.1,
  state: 1,
  trend: 1,
  volatilityPercentile: 12.5,
  model: 1,
});

const audit = (over: Partial<DataCheck>): DataCheck => ({
  time: start,
  value: 'mark',
  symbol: 'A',
  venue: 'Binance USD-M',
  role: 'PRIMARY',
  verdict: 'MISSED',
  published: null,
  publishedAt: null,
  asked: null,
  askedAt: null,
  difference: null,
  allowed: null,
  reason: 'REFUSED',
  detail: 'HTTP 429',
  ...over,
});

const backends = {
  sqlite: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tocsin-archive-'));
    return {
      fresh: async () => `file:${join(folder, `${Math.random()}.db`)}`,
      stop: () => rm(folder, { recursive: true, force: true }),
    };
  },
  postgres: startArchives,
};

describe.each(Object.entries(backends))('the archive on %s', (_, startBackend) => {
  let backend: Server;
  let archive: Archive;
  beforeAll(async () => {
    backend = await startBackend();
  });
  afterAll(() => backend.stop());
  beforeEach(async () => {
    archive = await openArchive(await backend.fresh());
    return () => archive.close();
  });

  it('stores every column and every number exactly', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 7, maxLength: 7 }),
        async ([open = 0, high = 0, low = 0, close = 0, volume = 0, takerBuy = 0, quoteVolume = 0]) => {
          const row = { symbol: 'X', time: start, open, high, low, close, volume, takerBuy, quoteVolume };
          await archive.write('candles1h', [row]);
          const [read] = await archive.read('candles1h', { symbol: 'X', window: { from: start, to: start } });
          expect({ ...read }).toEqual(
            Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === 0 ? 0 : value])),
          );
        },
      ),
      { numRuns: 50 },
    );
  });

  it('one row per symbol and time: the same written twice is one, the later counts, in one write or two', async () => {
    await archive.write('candles1h', [candle('A', start, 1), candle('A', start, 2)]);
    await archive.write('candles1h', [candle('A', start, 3)]);
    expect(await archive.read('candles1h', { symbol: 'A', window: { from: 0, to: start } })).toEqual([
      candle('A', start, 3),
    ]);
  });

  it('writes any number of rows', async () => {
    const rows = Array.from({ length: 1_737 }, (_, index) =>
      openInterest('A', start + index * minute, index),
    );
    await archive.write('openInterest', []);
    await archive.write('openInterest', rows);
    expect(
      await archive.read('openInterest', { symbol: 'A', window: { from: 0, to: start + day * 30 } }),
    ).toEqual(rows);
  });

  it('reads are bounded above by `to`, both ends included, ascending', async () => {
    const rows = [3, 0, 2, 1].map((index) => candle('A', start + index * hour));
    await archive.write('candles1h', rows);
    await archive.write('candles1h', [candle('B', start)]);
    const times = (found: readonly Candle[]) => found.map((row) => (row.time - start) / hour);
    const window = { from: start + hour, to: start + 2 * hour };
    expect(times(await archive.read('candles1h', { symbol: 'A', window }))).toEqual([1, 2]);
    expect(times(await archive.last('candles1h', { symbol: 'A', count: 2, to: start + 2 * hour }))).toEqual([
      1, 2,
    ]);
    expect(times(await archive.last('candles1h', { symbol: 'A', count: 9, to: start + hour }))).toEqual([
      0, 1,
    ]);
    expect(await archive.last('candles1h', { symbol: 'C', count: 9, to: start + hour })).toEqual([]);
  });

  it('latest: the newest row of every symbol at or before `to`; none for one that began later', async () => {
    expect(await archive.latest('funding', start)).toEqual([]);
    await archive.write('funding', [
      { symbol: 'B', time: start, rate: 0.1 },
      { symbol: 'A', time: start, rate: 0.2 },
      { symbol: 'A', time: start + hour, rate: 0.3 },
      { symbol: 'C', time: start + 2 * hour, rate: 0.4 },
    ]);
    const rates = (await archive.latest('funding', start + hour)).map(({ symbol, rate }) => [symbol, rate]);
    expect(rates).toEqual([
      ['A', 0.3],
      ['B', 0.1],
    ]);
  });

  it('readAll: every symbol in the window, by symbol, then time', async () => {
    await archive.write(
      'funding',
      ['B', 'A'].flatMap((symbol) => [2, 0, 1].map((at) => ({ symbol, time: start + at, rate: at }))),
    );
    const found = await archive.readAll('funding', { from: start + 1, to: start + 2 });
    expect(found.map(({ symbol, rate }) => `${symbol}${rate}`)).toEqual(['A1', 'A2', 'B1', 'B2']);
  });

  /** Writes spans in hours from the start on, as `2-2 5-7`. */
  const inHours = (spans: readonly TimeRange[]) =>
    spans.map(({ from, to }) => `${(from - start) / hour}-${(to - start) / hour}`).join(' ');

  it.each([
    ['no row: the whole window', [], '0-9'],
    ['every row: none', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], ''],
    ['the beginning', [2, 3, 4, 5, 6, 7, 8, 9], '0-1'],
    ['the end', [0, 1, 2, 3, 4, 5, 6, 7], '8-9'],
    ['in between, several', [0, 1, 3, 4, 8, 9], '2-2 5-7'],
    ['as many rows as steps, one of them extra', [0, 1, 1.5, 2, 3, 4, 6, 7, 8, 9], '5-5'],
    ['a row half a step late is no gap', [0, 1, 2.5, 3, 4, 5, 6, 7, 8, 9], ''],
  ])('gaps: %s', async (_, present, expected) => {
    await archive.write(
      'openInterest',
      [...present, -5, 20].map((at) => openInterest('A', start + at * hour)),
    );
    const window = { from: start, to: start + 9 * hour, step: hour };
    expect(inHours(await archive.gaps('openInterest', { symbol: 'A', window }))).toBe(expected);
  });

  it.each([
    ['a missing 4 h settlement is seen', [0, 4, 12, 16, 24], '8-8 20-20'],
    ['a missing 1 h settlement is seen', [0, 1, 2, 4, 5, 6], '3-3'],
    ['two in a row', [0, 4, 8, 20, 24], '12-16'],
    ['8 h alone are no gap', [0, 8, 16, 24], ''],
    ['a missing 8 h settlement', [0, 8, 24], '16-16'],
    ['a few milliseconds late', [0, 4, 8.001, 12, 16], ''],
  ])('gaps of rows in intervals of their own: %s', async (_, present, expected) => {
    await archive.write(
      'funding',
      present.map((at) => ({ symbol: 'A', time: start + at * hour, rate: 0.0001 })),
    );
    const window = { from: start, to: start + 24 * hour, step: 8 * hour, irregular: true };
    const found = await archive.gaps('funding', { symbol: 'A', window });
    const inside = found.filter(({ to }) => to < start + (present.at(-1) ?? 0) * hour);
    expect(inHours(inside)).toBe(expected);
  });

  it('liquidations: after < time ≤ to, newest first, at most `limit`, the same one twice is one', async () => {
    const rows = [1, 2, 2, 3].map((at, index) => liquidation(index === 1 ? 'B' : 'A', start + at));
    await archive.writeLiquidations([...rows, ...rows]);
    await archive.writeLiquidations(rows);
    const query = (extra: object) => archive.liquidations({ to: start + 3, limit: 100, ...extra });
    expect((await query({})).map(({ symbol, time }) => `${symbol}${time - start}`)).toEqual([
      'A3',
      'A2',
      'B2',
      'A1',
    ]);
    expect(await query({ after: start + 1 })).toHaveLength(3);
    expect(await query({ to: start + 2, symbol: 'A' })).toEqual([
      liquidation('A', start + 2),
      liquidation('A', start + 1),
    ]);
    expect(await query({ limit: 1 })).toEqual([liquidation('A', start + 3)]);
  });

  it('liquidations: two of one millisecond that differ in anything are two', async () => {
    await archive.writeLiquidations([liquidation('A', start, 1), liquidation('A', start, 2)]);
    expect(await archive.liquidations({ to: start, limit: 9 })).toHaveLength(2);
  });

  it('a published regime is never rewritten', async () => {
    await archive.write('regimes', [regime(start), regime(start + hour)]);
    await archive.write('regimes', [regime(start, 0.9), regime(start + 2 * hour)]);
    const window = { from: start, to: start + hour };
    expect(await archive.read('regimes', { symbol: 'BTCUSDT', window })).toEqual([
      regime(start),
      regime(start + hour),
    ]);
  });

  it('quality checks, feeds and documents come back as they went in', async () => {
    const check = { time: start, score: 93.5, grade: 'A', status: 'HEALTHY', summary: 'all well' } as const;
    await archive.writeQuality(check);
    await archive.writeQuality({ ...check, time: start + hour });
    expect(await archive.quality({ from: start, to: start })).toEqual([check]);
    await archive.writeFeed({ feed: 'b', lastUpdate: null, problem: 'silent' });
    await archive.writeFeed({ feed: 'a', lastUpdate: start, problem: null });
    await archive.writeFeed({ feed: 'b', lastUpdate: start, problem: null });
    expect(await archive.feeds()).toEqual([
      { feed: 'a', lastUpdate: start, problem: null },
      { feed: 'b', lastUpdate: start, problem: null },
    ]);
    expect(await archive.get('clock')).toBeUndefined();
    await archive.put('clock', { market: start });
    await archive.put('clock', { market: [start, 'ü'] });
    expect(await archive.get('clock')).toEqual({ market: [start, 'ü'] });
  });

  it('markets of several venues share one table without being mixed up', async () => {
    const at = (venue: string, symbol: string, hours: number) =>
      openInterest(marketAt(venue, symbol), start + hours * hour, hours + venue.length);
    const rows = ['okx', 'bybit'].flatMap((venue) =>
      ['BTCUSDT', '牛来USDT'].flatMap((symbol) => [0, 1, 3].map((hours) => at(venue, symbol, hours))),
    );
    await archive.write('venueOpenInterest', [...rows, ...rows]);
    const whole = { from: start, to: start + 3 * hour };
    const market = marketAt('okx', '牛来USDT');
    const of = (row: OpenInterest) => `${row.symbol} ${(row.time - start) / hour} ${row.contracts}`;
    expect((await archive.read('venueOpenInterest', { symbol: market, window: whole })).map(of)).toEqual([
      'okx/牛来USDT 0 3',
      'okx/牛来USDT 1 4',
      'okx/牛来USDT 3 6',
    ]);
    expect(
      (await archive.last('venueOpenInterest', { symbol: market, count: 1, to: start + hour })).map(of),
    ).toEqual(['okx/牛来USDT 1 4']);
    expect((await archive.latest('venueOpenInterest', start + 2 * hour)).map(of)).toEqual([
      'bybit/BTCUSDT 1 6',
      'bybit/牛来USDT 1 6',
      'okx/BTCUSDT 1 4',
      'okx/牛来USDT 1 4',
    ]);
    expect(await archive.readAll('venueOpenInterest', whole)).toHaveLength(rows.length);
    expect(
      await archive.gaps('venueOpenInterest', { symbol: market, window: { ...whole, step: hour } }),
    ).toEqual([{ from: start + 2 * hour, to: start + 2 * hour }]);
    await archive.prune(start + 10 * day + hour);
    expect((await archive.readAll('venueOpenInterest', whole)).map(of)).toEqual([
      'bybit/BTCUSDT 1 6',
      'bybit/BTCUSDT 3 8',
      'bybit/牛来USDT 1 6',
      'bybit/牛来USDT 3 8',
      'okx/BTCUSDT 1 4',
      'okx/BTCUSDT 3 6',
      'okx/牛来USDT 1 4',
      'okx/牛来USDT 3 6',
    ]);
  });

  it('audits are returned as stored, by value, symbol and venue, even over many days', async () => {
    const round = (time: number) => [
      audit({ time, value: 'funding', verdict: 'WITHIN' }),
      audit({ time, symbol: 'A' }),
      audit({
        time,
        symbol: 'B',
        published: 0.1,
        publishedAt: start,
        asked: 0.2,
        askedAt: start,
        difference: -0.5,
      }),
    ];
    const rows = [start, start + 3 * day, start + 9 * day].flatMap(round);
    expect(await archive.audits({ from: 0, to: start })).toEqual([]);
    await archive.writeDataChecks(rows.toReversed());
    await archive.writeDataChecks(round(start));
    expect(await archive.audits({ from: 0, to: start + 9 * day })).toEqual(rows);
    expect(await archive.audits({ from: start + 1, to: start + 3 * day })).toEqual(rows.slice(3, 6));
    await archive.prune(start + 33 * day);
    expect(await archive.audits({ from: 0, to: start + 33 * day })).toEqual(rows.slice(3));
  });

  it('prune: rows older than their series is kept are deleted, the rest stays', async () => {
    const old = start - 60 * day;
    await archive.write('openInterest', [openInterest('A', old), openInterest('A', start)]);
    await archive.write('candles1h', [candle('A', old)]);
    await archive.writeLiquidations([liquidation('A', start - 400 * day), liquidation('A', old)]);
    await archive.prune(start);
    expect(await archive.read('openInterest', { symbol: 'A', window: { from: 0, to: start } })).toEqual([
      openInterest('A', start),
    ]);
    expect(await archive.read('candles1h', { symbol: 'A', window: { from: 0, to: start } })).toHaveLength(1);
    expect(await archive.liquidations({ to: start, limit: 9 })).toEqual([liquidation('A', old)]);
  });
});
