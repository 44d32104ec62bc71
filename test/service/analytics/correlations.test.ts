import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { day, hour } from '#src/runtime/units.ts';
import { correlation, pearson } from '#src/service/analytics/correlations.ts';
import { dxyScore, stablecoinFlow, vixSignal } from '#src/service/analytics/cross-asset.ts';
import { normal, seededRandom } from './bars.ts';

const now = Date.UTC(2030, 1, 1);
const prices = (seed: number, count = 30) => {
  const random = seededRandom(seed);
  let value = 100;
  return Array.from({ length: count }, (_, i) => {
    value *= Math.exp(0.02 * normal(random));
    return { time: now - (count - i) * day + hour, value };
  });
};

const before = (ms: number, points: ReturnType<typeof prices>) =>
  points.map(({ time, value }) => ({ time: time - ms, value }));

describe('correlation', () => {
  it.each([
    ['with itself: 1', (value: number) => value, 1],
    ['of log returns: a power is still 1', (value: number) => value ** 3, 1],
    ['with its inverse: −1', (value: number) => 1 / value, -1],
  ])('%s', (_, other, wanted) => {
    const a = prices(1);
    const b = a.map(({ time, value }) => ({ time, value: other(value) }));
    expect(correlation(a, b, now)).toBeCloseTo(wanted, 9);
  });

  it('only days with both values count: a closed market did not move by 0', () => {
    const a = prices(2);
    const open = ({ time }: { time: number }) => new Date(time).getUTCDay() % 6 !== 0;
    expect(correlation(a, a.filter(open), now)).toBeCloseTo(1, 9);
  });

  it.each([
    ['too few days', prices(3, 15), prices(4, 15)],
    ['one that never moves', prices(3), prices(3).map(({ time }) => ({ time, value: 5 }))],
    ['outside the window of 30 days', before(30 * day, prices(3)), before(30 * day, prices(4))],
    ['nothing', [], []],
  ])('undefined: %s', (_, a, b) => {
    expect(correlation(a, b, now)).toBeUndefined();
  });

  it('uses nothing after now', () => {
    const later = { time: now + hour, value: 1e9 };
    expect(correlation([...prices(5), later], [...prices(6), later], now)).toBe(
      correlation(prices(5), prices(6), now),
    );
  });
});

it('pearson: hand-checked, within −1 and 1, whatever the numbers', () => {
  expect(pearson([1, 2, 3, 4], [2, 1, 4, 3])).toBeCloseTo(0.6, 12);
  const finite = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.tuple(finite, finite)), (rows) => {
      const r = pearson(
        rows.map(([x]) => x),
        rows.map(([, y]) => y),
      );
      expect(r === undefined || (r >= -1 && r <= 1)).toBe(true);
    }),
  );
});

it.each([
  [13.9, 'LOW_VOL'],
  [14, 'NORMAL_VOL'],
  [23, 'NORMAL_VOL'],
  [23.1, 'HIGH_VOL'],
])('vix: %d is %s', (vix, signal) => {
  expect(vixSignal(vix)).toBe(signal);
});

it('dxy: a strong dollar is negative, a still or short series gives nothing', () => {
  const rising = Array.from({ length: 20 }, (_, i) => 100 + i);
  expect(dxyScore(rising)).toBeLessThan(0);
  expect(dxyScore(rising.toReversed())).toBeGreaterThan(0);
  expect(dxyScore(rising.slice(0, 9))).toBeUndefined();
  expect(dxyScore(rising.map(() => 100))).toBeUndefined();
});

it.each([
  [[100, 101], 1],
  [[100, 50, 98], -2],
  [[100], undefined],
  [[], undefined],
  [[0, 5], undefined],
])('stablecoins: %j flows %s %%', (supply, flow) => {
  expect(stablecoinFlow(supply)).toBe(flow);
});
