import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { percentileRank, round, standardDeviation, zScore } from '#src/service/analytics/statistics.ts';

describe('standardDeviation', () => {
  it.each([
    ['of a sample, n − 1', [2, 4, 4, 4, 5, 5, 7, 9], Math.sqrt(32 / 7)],
    ['of one value: 0', [5], 0],
    ['of nothing: 0', [], 0],
  ])('%s', (_, values, sd) => {
    expect(standardDeviation(values)).toBeCloseTo(sd, 12);
  });

  it('of equal values is exactly 0, and their z-score undefined', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer({ min: 2, max: 200 }),
        (value, n) => {
          const same = Array.from({ length: n }, () => value);
          expect(standardDeviation(same)).toBe(0);
          expect(zScore(value, same)).toBeUndefined();
        },
      ),
    );
  });
});

it.each([
  [5, [], 50],
  [5, [1, 2, 3, 4], 100],
  [0, [1, 2], 0],
  [2, [1, 2, 3], 50],
])('percentileRank of %d in %j is %d', (value, sample, rank) => {
  expect(percentileRank(value, sample)).toBe(rank);
});

it.each([
  [1.23456, 4, 1.2346],
  [-0.00001, 4, 0],
  [1e-10, 10, 1e-10],
])('round: %d to %d decimals is %d, never −0', (value, decimals, rounded) => {
  expect(round(value, decimals)).toBe(rounded);
});

it('round says what toFixed does, also at a half and far from 1', () => {
  const near = fc
    .tuple(fc.integer(), fc.integer({ min: 0, max: 10 }), fc.constantFrom(0, 0.5, 0.4999999, 1e-9))
    .map(([whole, decimals, part]) => (whole + part) / 10 ** decimals);
  fc.assert(
    fc.property(fc.oneof(fc.double(), near), fc.integer({ min: 0, max: 10 }), (value, decimals) => {
      expect(round(value, decimals)).toBe(Number(value.toFixed(decimals)) + 0);
    }),
  );
});
