import { expect, test } from 'vitest';
import { points, series, toChart } from '#src/detectors/kit/series.ts';
import { plainReader, say } from '#src/language/say.ts';
import { day, hour, iso, minute } from '#src/runtime/units.ts';

const row = (at: number, value: number) => ({ timestamp: iso(at), value });

test('rows are sorted by time, each time occurs once, and none is from the future', () => {
  const rows = series([row(3, 1), row(1, 2), row(3, 4), row(9, 5)], { now: 8 });
  expect(points(rows, ({ value }) => value)).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test.each<[length: number, said: string]>([
  [23 * hour + 45 * minute, '1 d'],
  [29 * 8 * hour, '10 d'],
  [71 * 5 * minute, '6 h'],
  [65 * minute, '1 h'],
  [90 * minute, '1 h 30 min'],
  [36 * hour, '1 d 12 h'],
  [3 * minute, '3 min'],
  [90 * day, '90 d'],
])('a chart over %i ms has the length %s in its title', (length, said) => {
  const ends = [0, length].map((at) => [at, 1] as const);
  const chart = toChart({ subject: 'x', line: ['x', ends] });
  expect(chart && say(chart.title, plainReader)).toBe(`x, last ${said}`);
});
