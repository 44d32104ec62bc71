import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bandsOf } from '#src/alert/bands.ts';
import {
  bySign,
  changePct,
  downsample,
  mean,
  type Points,
  scaleToHundred,
} from '#src/commands/kit/series.ts';
import { hour } from '#src/runtime/units.ts';

const values = fc
  .array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { maxLength: 200 })
  .map((all): Points => all.map((value, index) => [index * hour, value] as const));

describe('coarser', () => {
  test('returns at most the requested number of points in order, with the same last time and the same sum', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 80 }), (all, most) => {
        const fewer = downsample(all, { limit: most, how: 'sum' });
        expect(fewer.length).toBeLessThanOrEqual(most);
        expect(fewer.at(-1)?.[0]).toBe(all.at(-1)?.[0]);
        const times = fewer.map(([at]) => at);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        const sum = (points: Points) => points.reduce((total, [, value]) => total + value, 0);
        expect(sum(fewer)).toBeCloseTo(sum(all), 3);
      }),
    );
  });

  test('leaves a gap among known values out of their mean, and keeps a gap without known values', () => {
    const all: Points = [
      [1, 4],
      [2, Number.NaN],
      [3, Number.NaN],
      [4, Number.NaN],
    ];
    expect(downsample(all, { limit: 2, how: 'mean' })).toEqual([
      [2, 4],
      [4, Number.NaN],
    ]);
  });
});

test('splitting bars by sign keeps the times and the sums', () => {
  fc.assert(
    fc.property(values, (all) => {
      const bars = bySign(all, { up: 'up', down: 'down' });
      expect(bars.length).toBeGreaterThan(0);
      for (const { points } of bars) expect(points.map(([at]) => at)).toEqual(all.map(([at]) => at));
      all.forEach(([, value], index) => {
        expect(bars.reduce((sum, { points }) => sum + (points[index]?.[1] ?? 0), 0)).toBe(value + 0);
      });
    }),
  );
});

test.each<[string, Points, number | undefined]>([
  [
    'from the first to the last',
    [
      [1, 100],
      [2, 50],
      [3, 110],
    ],
    10,
  ],
  [
    'gaps at either end do not count',
    [
      [1, Number.NaN],
      [2, 100],
      [3, 90],
      [4, Number.NaN],
    ],
    -10,
  ],
  ['one value is no change', [[1, 100]], undefined],
  ['nothing is not known', [], undefined],
  [
    'from nothing is not known',
    [
      [1, 0],
      [2, 5],
    ],
    undefined,
  ],
])('the change in percent: %s', (_, all, expected) => {
  const change = changePct(all);
  if (expected === undefined) expect(change).toBeUndefined();
  else expect(change).toBeCloseTo(expected);
});

test('an index from 100 begins there; it is empty for no values, and the mean of no values is unknown', () => {
  expect(
    scaleToHundred([
      [1, 4],
      [2, 6],
    ]),
  ).toEqual([
    [1, 100],
    [2, 150],
  ]);
  expect(
    scaleToHundred([
      [1, 0],
      [2, 6],
    ]),
  ).toEqual([]);
  expect(mean([])).toBeUndefined();
});

describe('bands', () => {
  const tones = (state: string) => (state === 'BAD' ? 'bad' : state === 'ODD' ? 'caution' : undefined);
  const rows = (...states: readonly (readonly [number, string])[]) =>
    states.map(([hours, state]) => ({ at: hours * hour, state }));

  test.each([
    [
      'neighbours of one state are one',
      rows([0, 'BAD'], [1, 'BAD'], [2, 'ODD']),
      [
        [0, 2],
        [2, 4],
      ],
    ],
    ['what has no tone is not shown', rows([0, 'GOOD'], [1, 'BAD'], [2, 'GOOD']), [[1, 2]]],
    [
      'a hole is not bridged',
      rows([0, 'BAD'], [9, 'BAD']),
      [
        [0, 2],
        [9, 11],
      ],
    ],
    ['nothing is nothing', [], []],
  ])('%s', (_, given, expected) => {
    expect(bandsOf(given, tones, 2 * hour).map(({ from, to }) => [from / hour, to / hour])).toEqual(expected);
  });
});
