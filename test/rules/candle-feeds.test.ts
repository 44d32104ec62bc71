import { describe, expect, test } from 'vitest';
import type { DataClient } from '#src/contract/data-client.ts';
import { feeds } from '#src/rules/all-feeds.ts';
import { gather } from '#src/rules/gather.ts';
import { metricNames, metricOf } from '#src/rules/metrics.ts';
import { pastOf } from '#src/rules/past.ts';
import { hour, iso } from '#src/runtime/units.ts';
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
