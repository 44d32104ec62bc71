import fc from 'fast-check';
import { expect, it } from 'vitest';
import { day, hour, minute } from '#src/runtime/units.ts';
import { coveredLength, windowOf } from '#src/runtime/window.ts';

const every = (step: number, count: number) =>
  Array.from({ length: count }, (_, index) => [index * step, index] as const);

it.each([
  ['values of every quarter of an hour, from the window’s beginning', every(15 * minute, 97), day],
  ['those that begin a step after it', every(15 * minute, 96), day],
  ['half a day of them', every(15 * minute, 49), 12 * hour],
  ['twelve days of a month', every(hour, 12 * 24 + 5), 12 * day, 30 * day],
  ['daily values', every(day, 90), 90 * day, 90 * day],
  ['one value', every(day, 1), 0],
  ['none', [], 0],
  [
    'what is not known at its beginning',
    [[0, Number.NaN], ...every(hour, 11).map(([at]) => [at + 14 * hour, 1] as const)] as const,
    10 * hour,
  ],
])('a window is named by what its values cover: %s', (_, values, expected, length = day) => {
  expect(coveredLength(values, length)).toBe(expected);
});

it('a window ends with its newest value and begins with the one that is as old as it is long', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 300 }), (count, steps) => {
      const cut = windowOf(every(hour, count), steps * hour);
      expect(cut.at(-1)).toEqual([(count - 1) * hour, count - 1]);
      expect(cut).toHaveLength(Math.min(count, steps + 1));
    }),
  );
});

it('a value from before a hole at the beginning of a window is not taken for that of its beginning', () => {
  const values = [[0, 1] as const, ...every(hour, 20).map(([at, value]) => [at + 30 * hour, value] as const)];
  const cut = windowOf(values, day);
  expect(cut[0]).toEqual([30 * hour, 0]);
  expect(coveredLength(cut, day)).toBe(19 * hour);
});
