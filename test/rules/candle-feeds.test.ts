import { describe, expect, test } from 'vitest';
import type { DataClient } from '#src/contract/data-client.ts';
import { previewPeriod } from '#src/preview/preview.ts';
import { feeds } from '#src/rules/all-feeds.ts';
import { timeframeLengths } from '#src/rules/candle-metrics.ts';
import { gather } from '#src/rules/gather.ts';
import { metricNames, metricOf } from '#src/rules/metrics.ts';
import { pastOf } from '#src/rules/past.ts';
import { day, hour, iso } from '#src/runtime/units.ts';
import { seriesDescriptions } from '#src/service/archive/series.ts';
import { dataClient } from '#test/support/data.ts';

const signal = new AbortController().signal;
const now = 5_000 * 4 * hour + 1;

/** A client with as many closed 4 h candles as are asked for, whose close is given by their number from the start of time. */
function candlesOf(closeOf: (index: number) => number, asked: object[] = []): DataClient {
  const candles = async (query: { limit?: number }) => {
    asked.push(query);
    const { limit = 100 } = query;
    const rows = Array.from({ length: limit }, (_, index) => {
      const number = 5_000 - limit + index;
      const c = closeOf(number);
      return {
        open_time: iso(number * 4 * hour),
        ...{ o: String(c), h: String(c + 1), l: String(c - 1), c: String(c), v: '1', quote_volume: '1' },
      };
    });
    return { data: rows };
  };
  return { ...dataClient(), candles } as unknown as DataClient;
}
const read = async (closeOf: (index: number) => number) =>
  (await feeds.candles4h.read({ data: candlesOf(closeOf), symbols: ['BTCUSDT'], now, signal }))[0];

describe('figures of closed candles', () => {
  test('are those of the last close, at the time of that close', async () => {
    const reading = await read((index) => 100 + (index % 2));
    expect(reading?.time).toBe(5_000 * 4 * hour);
    expect(reading?.values['close.4h']).toBe(101);
    expect(reading?.values['rsi.4h']).toBeGreaterThan(45);
    expect(reading?.values['atrPct.4h']).toBeCloseTo(2, 0);
  });

  test('a high is that of the candles before the last, so that a close can be above it', async () => {
    const { values = {} } = (await read((index) => (index === 4_999 ? 200 : 100))) ?? {};
    expect(values).toMatchObject({ 'close.4h': 200, 'high20.4h': 101, 'low20.4h': 99, 'high50.4h': 101 });
  });

  test('each metric of a timeframe is known', async () => {
    const { values = {} } = (await read((index) => 100 + Math.sin(index))) ?? {};
    const names = metricNames.filter((name) => metricOf(name).feed === 'candles4h');
    expect(names.length).toBe(13);
    for (const name of names) expect(values[name]).toEqual(expect.any(Number));
  });

  test('are computed where they are of use alone: a preview asks ten thousand times', async () => {
    const asking = { symbols: ['BTCUSDT'], now, signal };
    const data = candlesOf((index) => 100 + 5 * Math.sin(index / 7) + (index % 3));
    const [all] = await feeds.candles4h.read({ data, ...asking });
    for (const name of metricNames.filter((each) => metricOf(each).feed === 'candles4h')) {
      const [one] = await feeds.candles4h.read({ data, metrics: new Set([name]), ...asking });
      expect(one).toEqual({ ...all, values: { [name]: all?.values[name] } });
    }
  });

  test('are of as many candles at the beginning of a preview as they need', () => {
    const needed = previewPeriod + day + 400 * timeframeLengths['15m'];
    expect(seriesDescriptions.candles5m.keepFor).toBeGreaterThan(needed);
  });

  describe('of hours', () => {
    const end = Date.UTC(2025, 5, 4, 15);
    /** The hours up to `end`, oldest first; volume is `quoteOf` the hour's time, and the high and the low are given too. */
    const hoursOf = (
      count: number,
      of: (time: number) => { h?: number; l?: number; q?: number } | undefined,
    ) =>
      Array.from({ length: count }, (_, index) => end - (count - index) * hour).flatMap((time) => {
        const { h = 101, l = 99, q = 1_000 } = of(time) ?? { q: -1 };
        const row = { open_time: iso(time), ...{ o: '100', h: String(h), l: String(l), c: '100', v: '1' } };
        return q < 0 ? [] : [{ ...row, quote_volume: String(q) }];
      });
    const readHours = async (rows: readonly object[], hours?: number) => {
      const data = { ...dataClient(), candles: async () => ({ data: rows }) } as unknown as DataClient;
      return feeds.candles1h.read({ data, symbols: ['BTCUSDT'], now: end, signal, ...(hours && { hours }) });
    };
    /** By day ten times the volume of the night. */
    const daily = (time: number) => ({ q: new Date(time).getUTCHours() >= 12 ? 10_000 : 1_000 });

    test('highs and lows are those of each window, volume that of a day', async () => {
      const rows = hoursOf(200, (time) => {
        const ago = (end - time) / hour;
        return { h: 100 + ago, l: 100 - ago / 10, q: ago };
      });
      const values = (await readHours(rows)).at(-1)?.values;
      expect(values).toMatchObject({
        ...{ 'price.high1h': 101, 'price.high4h': 104, 'price.high24h': 124, 'price.high7d': 268 },
        ...{ 'price.low1h': 99.9, 'price.low4h': 99.6, 'price.low24h': 97.6, 'price.low7d': 83.2 },
        'volume.quote24h': 300,
      });
    });

    test('are not known where an hour is missing', async () => {
      const rows = hoursOf(200, (time) => (time === end - 10 * hour ? undefined : {}));
      const values = (await readHours(rows)).at(-1)?.values;
      expect(values?.['price.high4h']).toBe(101);
      for (const name of ['price.high24h', 'price.low7d', 'volume.quote24h', 'volume.vsUsualPct'] as const)
        expect(values?.[name]).toBeNaN();
    });

    test.each([
      ['the usual of the hour', 1, 0],
      ['three times the usual', 3, 200],
      ['a tenth of the usual', 0.1, -90],
    ])('volume is compared with its hour of the week: %s', async (_, times, expected) => {
      const rows = hoursOf(1_000, (time) => ({ q: daily(time).q * (time === end - hour ? times : 1) }));
      const values = (await readHours(rows)).at(-1)?.values;
      const tolerance = 10 * Math.max(1, times);
      expect(Math.abs(Number(values?.['volume.vsUsualPct']) - expected)).toBeLessThan(tolerance);
    });

    test('nothing is usual before enough weeks are known', async () => {
      const values = (await readHours(hoursOf(500, daily))).at(-1)?.values;
      expect(values?.['volume.vsUsualPct']).toBeNaN();
      expect(values?.['volume.quote24h']).toBe(132_000);
    });

    test('have a past, in which the usual of each hour is what was known then', async () => {
      const readings = await readHours(hoursOf(1_000, daily), 72);
      expect(readings).toHaveLength(72);
      for (const { values } of readings)
        expect(Math.abs(Number(values['volume.vsUsualPct']))).toBeLessThan(15);
    });
  });

  test('are asked once a candle', async () => {
    const asked: object[] = [];
    const data = candlesOf(() => 1, asked);
    const needs = new Map([['candles4h', new Set(['BTCUSDT'])]] as const);
    let known = {};
    for (const at of [1, 2, 3, 4, 5, 6].map((hours) => now + hours * hour)) {
      const gathered = await gather(needs, { data, asked: known, requests: 4, now: at, signal });
      known = gathered.asked;
    }
    expect(asked.length).toBe(2);
  });

  test('have a past that a chart can draw', async () => {
    const data = candlesOf((index) => 100 + Math.sin(index));
    const past = await pastOf('rsi.4h', { data, symbol: 'BTCUSDT', hours: 240, now, signal });
    expect(past.length).toBe(60);
    expect(past.at(-1)?.[0]).toBe(5_000 * 4 * hour);
  });
});
