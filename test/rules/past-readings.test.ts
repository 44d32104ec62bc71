import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Rule } from '#src/alert/rule.ts';
import type { DataClient } from '#src/contract/data-client.ts';
import { contract } from '#src/contract/index.ts';
import { createPastLines } from '#src/preview/past-lines.ts';
import { noData, replayRule } from '#src/preview/replay-rule.ts';
import { createSlices } from '#src/preview/slices.ts';
import { type KeptReadings, startKeeping } from '#src/rules/keep-readings.ts';
import { gatherSeen, seenPast } from '#src/rules/past-readings.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import { openArchivedPast } from '#src/service/past/archived-past.ts';
import type { Past } from '#src/service/past/past-service.ts';
import { makeArchive } from '../preview/made-archive.ts';
import { fakeClock } from '../support/clock.ts';
import { rule } from '../support/rules.ts';

const from = Date.parse('2025-11-13T00:00:00Z');
const to = from + 6 * hour;
const signal = new AbortController().signal;
const ruleOf = (condition: string, symbols: readonly string[] = ['BTCUSDT', 'ETHUSDT']): Rule =>
  rule({ condition, symbols });

describe('the recorded past of a hosted data service', () => {
  let folder: string;
  let url: string;
  let past: Past;
  const kept: KeptReadings[] = [];
  /** Pages through the kept readings as the store does. */
  const page: Parameters<typeof seenPast>[1]['page'] = async (feed, { window, limit }) =>
    JSON.parse(
      JSON.stringify(
        kept
          .filter((each) => each.feed === feed && each.at > window.from && each.at <= window.to)
          .slice(0, limit),
      ),
    );
  const pastOf = (condition: string, symbols?: readonly string[]) =>
    seenPast(ruleOf(condition, symbols), {
      data: past.at(to),
      page,
      universe: past.symbols,
      from: to - 30 * day,
      to,
      signal,
    });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tocsin-seen-'));
    url = `file:${join(folder, 'archive.db')}`;
    await makeArchive(url, { from, to, symbols: 4 });
    past = await openArchivedPast({ url, end: to, source: 'simulated' });
    const wall = fakeClock(from);
    const keeping = startKeeping({
      // The archive has no macro and no quality data: what fails is missing, and the rest is kept.
      data: Object.fromEntries(
        Object.keys(contract).map((name) => [
          name,
          (...asked: unknown[]) =>
            (past.at(wall.now())[name as keyof DataClient] as (...asked: unknown[]) => unknown)(...asked),
        ]),
      ) as unknown as DataClient,
      add: async (readings) => {
        kept.push(readings);
      },
      universe: () => past.symbols,
      clock: () => ({ now: wall.now, speed: 1, wallUntil: () => 0 }),
      wall,
      onError(error) {
        if (!(error instanceof ApiError)) throw error;
      },
    });
    for (let passed = 0; passed < to - from; passed += 5 * minute) await wall.advance(5 * minute);
    await keeping.stop();
  });
  afterAll(async () => {
    await past.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('is recorded where the service returns only the present, and unchanged values only once', () => {
    const times = (feed: string) => kept.filter((each) => each.feed === feed).map(({ at }) => at);
    expect(times('overview').length).toBeGreaterThan(60);
    const settlements = kept.filter(({ feed }) => feed === 'funding').flatMap(({ readings }) => readings);
    expect(settlements.length).toBeLessThanOrEqual(2 * past.symbols.length);
  });

  it('begins when the bot began to watch if the service returns only the present', async () => {
    const known = await pastOf('price.last > 0.0');
    expect(known).toMatchObject({ since: expect.toSatisfy((at: number) => at - from < 10 * minute) });
  });

  it('reaches back as far as the service does if it returns the past', async () => {
    const known = await pastOf('basis.pct > 0.0');
    if (typeof known !== 'object') throw new Error('nothing is known');
    expect((to - known.since) / day).toBeGreaterThan(1.9);
    expect(new Set(known.seen.map(({ symbol }) => symbol))).toEqual(new Set(['BTCUSDT', 'ETHUSDT']));
  });

  it('has for a coin at full hours what the service’s page showed then', async () => {
    const known = await pastOf('price.change24hPct > 0.0', ['BTCUSDT']);
    if (typeof known !== 'object') throw new Error('nothing is known');
    const now = to - hour;
    const { data } = await past.at(now).candles({ symbol: 'BTCUSDT', limit: 25 });
    expect(Date.parse(data[0]?.open_time ?? '') + hour).toBe(now - day);
    const changePct = known.seen.find(({ time }) => time === now)?.values['price.change24hPct'];
    expect(changePct).toBeCloseTo((Number(data.at(-1)?.c) / Number(data[0]?.c) - 1) * 100, 9);
  });

  it('begins with the part that is known last', async () => {
    const known = await pastOf('basis.pct > 0.0 && price.last > 0.0');
    expect(known).toMatchObject({ since: expect.toSatisfy((at: number) => at - from < 10 * minute) });
  });

  it('is unknown if a part of it was never seen', async () => {
    expect(await pastOf('macro.gold > 0.0')).toBeUndefined();
    expect(await pastOf('macro.gold > 0.0 || price.last > 0.0')).toBeUndefined();
  });

  it('costs only a few requests', async () => {
    expect(await pastOf('basis.pct > 0.0 && oi.ratePct > 0.0', ['*'])).toEqual(expect.objectContaining({}));
    expect(await pastOf('basis.pct > 0.0 && oi.ratePct > 0.0 && spread.pct > 0.0', ['*'])).toBe('many');
  });

  it('gives the same alerts as the archive, if all of it is available', async () => {
    const condition = 'basis.pct > 0.02 || oi.ratePct > 0.3';
    const known = await pastOf(condition);
    if (typeof known !== 'object') throw new Error('nothing is known');
    const began = known.since + day;
    const given = { from: began, to, inhibitRules: [], symbols: past.symbols, signal };
    const one = ruleOf(condition);
    const seen = await replayRule(one, { ...given, at: () => noData, ask: gatherSeen(known.seen) });
    const archived = await replayRule(one, { ...given, at: past.at });
    expect(seen.alerts.length).toBeGreaterThan(3);
    expect(seen.alerts).toEqual(archived.alerts);
  });

  it('gives the line of one metric as it was then', async () => {
    const began = to - 3 * hour;
    const wall = fakeClock(to);
    const lines = createPastLines({
      archive: {
        whole: () => true,
        open: ({ end, choose }) => openArchivedPast({ url, end, source: 'simulated', chooseSymbols: choose }),
      },
      slices: createSlices(wall, signal),
      seen: async () => undefined,
      now: wall.now,
      wall,
      log: pino({ level: 'silent' }),
    });
    const line = async (metric: 'basis.pct' | 'price.last') =>
      (await lines.of({ metric, symbol: 'ETHUSDT' }))?.filter(([at]) => at > began) ?? [];
    const basis = await line('basis.pct');
    const told = (await past.at(to).basis({ symbol: 'ETHUSDT', hours: 3 })).data;
    expect(basis).toEqual(
      told
        .map(({ timestamp, basisPct }) => [Date.parse(timestamp), basisPct])
        .filter(([at]) => Number(at) > began),
    );
    // The service returns only its present, so it was asked as of many moments.
    const price = await line('price.last');
    expect(price.length).toBeGreaterThan(4);
    const { coins } = await past.at(to).marketOverview({});
    expect(price.at(-1)?.[1]).toBe(coins.find(({ symbol }) => symbol === 'ETHUSDT')?.price);
    expect(price.map(([at]) => at)).toEqual(price.map(([at]) => at).toSorted((a, b) => a - b));
  });

  it('is replayed in the order in which it became known, never earlier, and never twice', async () => {
    const known = await pastOf('price.last > 0.0 && basis.pct > 0.0');
    if (typeof known !== 'object') throw new Error('nothing is known');
    const gather = gatherSeen(known.seen);
    let count = 0;
    for (let now = known.since; now <= to; now += 7 * minute) {
      const look = { data: past.at(now), asked: {}, requests: 1, now, signal };
      const { readings } = await gather(new Map(), look);
      for (const { time } of readings) expect(time).toBeLessThanOrEqual(now);
      count += readings.length;
    }
    expect(count).toBeGreaterThan(0.95 * known.seen.length);
    expect(count).toBeLessThanOrEqual(known.seen.length);
  });
});

it('a past of 200,000 readings is read, as a month of all markets has', async () => {
  const universe = Array.from({ length: 2_000 }, (_, index) => `S${index}USDT`);
  const page: Parameters<typeof seenPast>[1]['page'] = async (feed, { window }) =>
    Array.from({ length: window.from < from ? 99 : 0 }, (_, index) => {
      const at = from + index * 5 * minute;
      const readings = universe.map((symbol) => ({ symbol, time: at, values: { 'price.last': index } }));
      return { feed, at, readings };
    });
  const data = {} as DataClient;
  const rule = ruleOf('price.last > 0.0', ['*']);
  const known = await seenPast(rule, { data, page, universe, from, to: to + day, signal });
  if (typeof known !== 'object') throw new Error('nothing is known');
  expect([known.since, known.seen.length]).toEqual([from, 99 * 2_000]);
});
