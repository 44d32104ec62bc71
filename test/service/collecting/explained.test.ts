import { expect, it } from 'vitest';
import { realTime } from '#src/runtime/clock.ts';
import { day, hour, minute, second } from '#src/runtime/units.ts';
import { explained } from '#src/service/collecting/collecting.ts';
import { start } from '#test/support/alerts.ts';
import { fakeClock } from '#test/support/clock.ts';

it.each([
  ['a minute and a second', minute + second],
  ['an hour', hour],
  ['a century', 36_525 * day],
])('a row of an exchange that lies %s ahead of the clock enters no archive, and is counted', (_, ahead) => {
  const refused: unknown[] = [];
  const [now, past, future] = [start + minute, start - 900 * day, start + ahead].map((time) => ({ time }));
  const rows = [now, future, past].flatMap((row) => row ?? []);
  const known = explained(rows, {
    series: 'marks',
    clock: realTime(fakeClock(start)),
    onRowsAhead: (given) => void refused.push(given),
  });
  expect(known).toEqual([now, past]);
  expect(refused).toEqual([{ series: 'marks', dropped: 1, of: 3 }]);
});
