import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { settlementHours, yearlyPct } from '#src/contract/settlements.ts';
import { hour } from '#src/runtime/units.ts';

const start = Date.UTC(2026, 0, 1);
/** Returns settlement times with these gaps, in hours. */
const apart = (...gaps: number[]): number[] => {
  let at = start;
  return [start, ...gaps.map((gap) => (at += gap * hour))];
};

describe('the interval of a market’s funding', () => {
  test.each<[string, number[], number | undefined]>([
    ['8 hours', [8, 8, 8], 8],
    ['4 hours', [4, 4, 4, 4], 4],
    ['1 hour', [1, 1], 1],
    ['a settlement that was missed is no longer interval', [4, 4, 8], 4],
    ['one that was missed before neither', [4, 8, 4], 4],
    ['a shorter one counts at once', [8, 8, 4], 4],
    ['a longer one once it is seen twice', [4, 4, 8, 8], 8],
    ['settlements some seconds late are of their hour', [8.001, 7.999, 8], 8],
    ['one alone is unknown', [], undefined],
    ['two could have missed one between them: unknown', [8], undefined],
    ['what does not divide a day is not guessed', [5, 5, 5], undefined],
  ])('%s', (_rule, gaps, hours) => expect(settlementHours(apart(...gaps))).toBe(hours));

  test('is found whichever one of the latest settlements is missing', () => {
    fc.assert(
      fc.property(fc.constantFrom(1, 2, 4, 8), fc.integer({ min: 0, max: 9 }), (hours, missing) => {
        const times = apart(...Array.from({ length: 9 }, () => hours)).toSpliced(missing, 1);
        expect(settlementHours(times)).toBe(hours);
      }),
    );
  });

  test('gives a higher yearly figure the shorter it is, and none if it is unknown', () => {
    expect([8, 4, 1].map((hours) => yearlyPct(0.0001, hours)?.toFixed(2))).toEqual([
      '10.95',
      '21.90',
      '87.60',
    ]);
    expect(yearlyPct(0.0001, undefined)).toBeUndefined();
  });
});
