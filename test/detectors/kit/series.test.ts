import { expect, test } from 'vitest';
import { points, series } from '#src/detectors/kit/series.ts';
import { iso } from '#src/runtime/units.ts';

const row = (at: number, value: number) => ({ timestamp: iso(at), value });

test('rows are in the order of time, each time once and none from the future', () => {
  const rows = series([row(3, 1), row(1, 2), row(3, 4), row(9, 5)], 8);
  expect(points(rows, ({ value }) => value)).toEqual([
    [1, 2],
    [3, 4],
  ]);
});
