import { expect, it } from 'vitest';
import { parseRetryAfter } from '#src/runtime/retry-after.ts';
import { day, second } from '#src/runtime/units.ts';

const now = Date.UTC(2026, 0, 1);

it.each<[string, unknown, number | undefined]>([
  ['seconds', '7', 7 * second],
  ['parts of a second', '0.5', second / 2],
  ['a date', new Date(now + 9 * second).toUTCString(), 9 * second],
  ['a date that is over', new Date(now - second).toUTCString(), 0],
  ['a whole day', '86400', day],
  ['more than a day, of which one day counts', '86401', day],
  ['a year that is none', '-5', undefined],
  ['nothing', undefined, undefined],
])('Retry-After: %s', (_, header, ms) => {
  expect(parseRetryAfter(header, now)).toBe(ms);
});
