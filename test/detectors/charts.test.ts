import { describe, expect, test } from 'vitest';
import type { Change, Chart } from '#src/alert/alert.ts';
import dataQuality from '#src/detectors/data-quality.ts';
import fearGreed from '#src/detectors/fear-greed.ts';
import { burstPicture } from '#src/detectors/kit/burst.ts';
import { toChart } from '#src/detectors/kit/series.ts';
import { extendTrail, type Trail } from '#src/detectors/kit/trail.ts';
import maxPain from '#src/detectors/max-pain.ts';
import priceLevel from '#src/detectors/price-level.ts';
import volatility from '#src/detectors/volatility-regime.ts';
import { plainReader, say } from '#src/language/say.ts';
import { day, hour, iso, minute } from '#src/runtime/units.ts';
import { answers, dataClient } from '#test/support/data.ts';
import { drive } from './drive.ts';

/** The day before the last Friday of January 2026, 08:00 UTC. */
const start = Date.UTC(2026, 0, 29, 8);

/** Returns the chart of the first change. */
function chartOf(changes: readonly (readonly Change[])[]) {
  const chart = changes.flat()[0]?.annotations.chart;
  return {
    title: chart && say(chart.title, plainReader),
    marks: chart?.marks?.map(({ name, value }) => [say(name, plainReader), value]),
    values: chart?.series.map(({ points }) => points.map(([, value]) => value)),
    ends: chart?.series[0]?.points.at(-1)?.[0],
  };
}

const overviews = (every: number, count: number, of: (index: number) => object) =>
  Array.from({ length: count }, (_, index) => {
    const at = start + index * every;
    return [at, { ...answers.marketOverview, timestamp: iso(at), ...of(index) }] as const;
  });

describe('the chart of an alert shows what was judged and the level at which it begins', () => {
  test('a round level: the price of a day', () => {
    const steps = overviews(10 * minute, 200, (index) => ({
      coins: [
        { symbol: 'BTCUSDT', price: index < 199 ? 99_000 : 101_000, signal: 0, funding: 0, master: 50 },
      ],
    }));
    const { title, marks, values, ends } = chartOf(drive(priceLevel, { confirm: 1 }, steps).changes);
    expect([title, marks]).toEqual(['BTC price, last 1 d', [['Level', 100_000]]]);
    expect(values?.[0]).toHaveLength(144);
    expect([values?.[0]?.[0], values?.[0]?.at(-1), ends]).toEqual([
      99_000,
      101_000,
      start + 199 * 10 * minute,
    ]);
  });

  test('fear and greed: the index of a month', () => {
    const steps = overviews(6 * hour, 9, (index) => ({ fearGreed: index < 8 ? 50 : 20, estimated: false }));
    const { title, marks, values } = chartOf(drive(fearGreed, { confirm: 1 }, steps).changes);
    expect(title).toBe('Fear and greed of the market, last 2 d');
    expect(marks).toEqual([['extreme fear below', 25]]);
    expect(values).toEqual([[50, 50, 50, 50, 50, 50, 50, 50, 20]]);
  });

  test('max pain: it and the price', () => {
    const row = { callOI: 10, putOI: 5, putCallRatio: 0.5, avgIV: 40 };
    const steps = [120_000, 110_000, 100_100].map((price, index) => {
      const at = start + index * hour;
      const rows = [hour, 0].map((age) => ({ ...row, timestamp: iso(at - age), maxPain: 100_000 }));
      return [at, { at, markets: [{ currency: 'BTC', rows, price }] }] as const;
    });
    const { title, values } = chartOf(drive(maxPain, { confirm: 1 }, steps).changes);
    expect(title).toBe('BTC: price and max pain, last 2 h');
    expect(values).toEqual([
      [120_000, 110_000, 100_100],
      [100_000, 100_000],
    ]);
  });

  test('volatility: its percentiles', () => {
    const percentiles = [50, 50, 90, 90];
    const steps = percentiles.map((percentile, index) => {
      const at = start + index * 2 * hour;
      const volatilityRegime = { regime: percentile > 75 ? 'HIGH_VOL' : 'NORMAL_VOL', percentile };
      return [at, { ...answers.regimeProbabilities, volatilityRegime, timestamp: iso(at) }] as const;
    });
    const { title, values } = chartOf(drive(volatility, { confirm: '1h' }, steps).changes);
    expect(title).toBe('Volatility of bitcoin against its last year, last 6 h');
    expect(values).toEqual([percentiles]);
  });

  test('data quality: its score over a day, requested only when the status differs', async () => {
    let asked = 0;
    const score = (at: number, status: string) => ({
      score: status === 'HEALTHY' ? 95 : 60,
      grade: 'C',
      status,
      timestamp: iso(at),
    });
    let state: Parameters<typeof dataQuality.step>[0];
    const changes: (readonly Change[])[] = [];
    for (const [index, status] of ['HEALTHY', 'HEALTHY', 'DEGRADED', 'DEGRADED', 'DEGRADED'].entries()) {
      const now = start + index * 5 * minute;
      const data = {
        ...dataClient({ dataQuality: { ...answers.dataQuality, ...score(now, status) } }),
        dataQualityHistory: async () => {
          asked += 1;
          const rows = [day, 12 * hour, 0].map((age) => ({ ...score(now - age, 'HEALTHY'), summary: '' }));
          return { data: rows, count: 3, window: '24h' };
        },
      };
      const options = dataQuality.options.parse({});
      const given = { data, options, state, symbols: [], now, signal: AbortSignal.timeout(10_000) };
      const stepped = dataQuality.step(state, await dataQuality.observe(given), { options, now });
      state = stepped.state;
      changes.push(stepped.changes);
    }
    const { title, values } = chartOf(changes);
    expect([title, values]).toEqual(['Market data quality, last 1 d', [[95, 95, 60]]]);
    // One request at the baseline, and one at each of two checks, the second of which reports the change.
    expect(asked).toBe(3);
  });
});

test('a liquidation burst: minutes without events are zero, and the sum falls as they leave the window', () => {
  const minutes = [
    { minute: 100, long: 5, short: 0 },
    { minute: 103, long: 0, short: 7 },
  ];
  const picture = burstPicture('BTCUSDT', {
    buckets: minutes,
    enter: 6,
    window: 2 * minute,
    until: 106 * minute,
  });
  const chart = toChart(picture);
  const valuesOf = (series: Chart['series'] = []) =>
    series.map(({ points }) => points.map(([, value]) => value));
  expect(valuesOf(chart?.series)).toEqual([
    [0, 0, 0, 7, 0, 0, 0],
    [-5, -0, -0, -0, -0, -0, -0],
  ]);
  expect(valuesOf(chart?.below?.series)).toEqual([[5, 5, 0, 7, 7, 0, 0]]);
});

describe('a trail', () => {
  const spacing = { interval: 10, maxValues: 3 };
  const values: readonly (readonly [number, number])[] = [
    [101, 1],
    [109, 2],
    [112, 3],
    [125, 4],
    [131, 5],
  ];

  test('keeps the latest value of each interval, and at most as many as configured', () => {
    const kept = values.reduce<Trail>((past, trace) => extendTrail(past, { trace, spacing }).kept, []);
    expect(kept).toEqual([
      [110, 3],
      [120, 4],
      [130, 5],
    ]);
    expect(extendTrail(kept, { trace: [134, 6], spacing }).shown).toEqual([
      [110, 3],
      [120, 4],
      [134, 6],
    ]);
  });

  test('forgets values that are too old, even if there are few', () => {
    expect(extendTrail([[100, 1]], { trace: [500, 2], spacing }).kept).toEqual([[500, 2]]);
  });
});
