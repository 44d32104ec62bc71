import cron from 'node-cron';
import { describe, expect, it } from 'vitest';
import { createSchedule, schedulePattern } from '#src/runtime/schedule.ts';
import { hour, minute, second } from '#src/runtime/units.ts';

const at = (text: string) => Date.parse(`2026-01-01T${text}Z`);

describe('a schedule', () => {
  it('catches up with what was due in the last six hours, and with nothing older', () => {
    const { latest } = createSchedule('0 0 0 * * *');
    const [due, long] = [at('00:00:00'), at('00:00:00') - 9 * hour];
    expect(latest(long, due + 6 * hour)).toBe(due);
    expect(latest(long, due + 6 * hour + 1)).toBeNull();
  });

  it.each([
    ['is due at its second', '20 */5 * * * *', '00:05:19', '00:05:20', '00:05:20'],
    ['is not due before it', '20 */5 * * * *', '00:05:20', '00:10:19', null],
    ['is due once for many missed times: the last', '20 */5 * * * *', '00:00:00', '00:31:00', '00:30:20'],
    ['excludes the moment it was last asked about', '0 0 * * * *', '01:00:00', '01:00:00', null],
    ['is in UTC', '0 0 8 * * *', '07:59:59', '08:00:01', '08:00:00'],
  ])('%s', (_, pattern, after, upTo, expected) => {
    expect(createSchedule(pattern).latest(at(after), at(upTo))).toBe(expected === null ? null : at(expected));
  });

  it('lists every due second of a window', () => {
    expect([...createSchedule('30 * * * * *').within(at('00:00:00'), at('00:02:30'))]).toEqual([
      at('00:00:30'),
      at('00:01:30'),
      at('00:02:30'),
    ]);
  });

  it.each(['20 */5 * * * *', '5,40 0,59 */8 * * *', '0 58 23 31 * *', '0 0 0 * * 0', '10 1-3 0 * 2 *'])(
    '%s skips no time that node-cron finds due, forwards or backwards',
    (pattern) => {
      const [from, to] = [Date.parse('2026-01-31T23:54:00Z'), Date.parse('2026-02-01T00:04:00Z')];
      const task = cron.createTask(pattern, () => {}, { timezone: 'UTC' });
      const all = Array.from({ length: (to - from) / second + 1 }, (_, index) => from + index * second);
      const expected = all.filter((at) => task.match(new Date(at)));
      const schedule = createSchedule(pattern);
      expect(expected.length).toBeGreaterThan(0);
      expect([...schedule.within(from, to)]).toEqual(expected);
      for (let at = from; at <= to; at += minute) {
        const last = expected.findLast((each) => each > from && each <= at) ?? null;
        expect(schedule.latest(from, at)).toBe(last);
      }
    },
  );

  it('refuses an invalid pattern, with an example', () => {
    expect(schedulePattern.safeParse('every day').error?.message).toContain('20 */5 * * * *');
  });
});
