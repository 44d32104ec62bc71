import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSchedule } from '#src/runtime/schedule.ts';
import { iso } from '#src/runtime/units.ts';

const at = (text: string) => Date.parse(text);

describe('schedule', () => {
  test.each([
    ['seconds and steps', '20 */5 * * * *', '2026-01-01T00:00:20.000Z', '2026-01-01T00:05:20.000Z'],
    ['a tick is strictly after', '*/30 * * * * *', '2026-01-01T00:00:30.000Z', '2026-01-01T00:01:00.000Z'],
    ['fractions of a millisecond', '0 * * * * *', '2026-01-01T23:59:59.999Z', '2026-01-02T00:00:00.000Z'],
    ['days of the week', '0 0 12 * * 1', '2026-01-01T00:00:00.000Z', '2026-01-05T12:00:00.000Z'],
    ['leap days', '0 0 0 29 2 *', '2026-01-01T00:00:00.000Z', '2028-02-29T00:00:00.000Z'],
  ])('%s', (_rule, expression, after, expected) => {
    expect(iso(parseSchedule(expression).next(at(after)))).toBe(expected);
  });

  test('next and between agree', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 4e12 }),
        fc.constantFrom('20 */5 * * * *', '5,35 * * * * *'),
        (from, expression) => {
          const schedule = parseSchedule(expression);
          const [first] = schedule.between(from, from + 600_000);
          expect(schedule.next(from - 1)).toBe(first);
        },
      ),
    );
  });

  test('no cron expression is an error', () => {
    expect(() => parseSchedule('every five minutes')).toThrow();
  });
});
