import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mean, median, standardDeviation } from '#src/runtime/statistics.ts';

describe('the statistics', () => {
  test('of a sample are right', () => {
    expect(mean([1, 2, 6])).toBe(3);
    expect(median([9, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 9])).toBe(3);
    // 2, 4, 4, 4, 5, 5, 7, 9: the squares about 5 sum to 32, over n − 1 = 7.
    expect(standardDeviation([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(Math.sqrt(32 / 7), 12);
  });

  test('include the median, the middle of the sorted values', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 1 }), (values) => {
        const sorted = values.toSorted((a, b) => a - b);
        const upper = sorted[sorted.length >> 1] ?? 0;
        const lower = sorted[(sorted.length - 1) >> 1] ?? 0;
        expect(median(values) + 0).toBe(lower + (upper - lower) / 2 + 0);
      }),
    );
  });

  test('of an empty sample do not exist', () => {
    expect([mean([]), median([]), standardDeviation([])]).toEqual([Number.NaN, Number.NaN, 0]);
  });

  test('of equal values have no deviation at all', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer({ min: 2, max: 50 }),
        (value, n) => {
          expect(standardDeviation(Array.from({ length: n }, () => value))).toBe(0);
        },
      ),
    );
  });
});
