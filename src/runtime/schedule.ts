import cron from 'node-cron';
import { z } from 'zod';
import { hour, minute, second } from './units.ts';

/** The times at which something is due, in UTC market time. */
export interface Schedule {
  readonly pattern: string;
  /** Returns the last due second in (after, upTo], however many are skipped; null if there is none. */
  latest(after: number, upTo: number): number | null;
  /** Returns every due second in [from, to], ascending. */
  within(from: number, to: number): Iterable<number>;
}

/** A node-cron pattern as written in the configuration. */
export const schedulePattern = z
  .string()
  .refine(
    (pattern) => cron.validate(pattern),
    'give a cron pattern such as "20 */5 * * * *" (seconds first)',
  );

/** How far `latest` looks back at most, ms: what was due longer ago need not be caught up with. */
const horizon = 6 * hour;

/**
 * Creates the schedule of a pattern.
 * @param pattern node-cron, seconds first
 */
export function createSchedule(pattern: string): Schedule {
  const task = cron.createTask(pattern, () => {}, { timezone: 'UTC' });
  const fields = cron.parse(pattern);
  const [seconds, minutes, hours] = [new Set(fields.second), new Set(fields.minute), new Set(fields.hour)];
  const ascending = [...seconds].sort((a, b) => a - b);
  const everyDay =
    fields.dayOfMonth.length === 31 && fields.month.length === 12 && fields.dayOfWeek.length === 7;
  // match() takes about 20 µs and is called for every market second, up to 240 times per wall second: three sets of
  // seconds, minutes and hours answer most calls, and a replay of years skips the hours and minutes in which nothing is
  // due. UTC has no leap seconds here.
  const isDue = (at: number): boolean =>
    seconds.has(Math.floor(at / second) % 60) && (everyDay || task.match(new Date(at)));
  /** Returns the length of the hour or minute around a moment if nothing is due in it, ms; 0 if something may be due. */
  const idleLength = (at: number): number => {
    if (!hours.has(Math.floor(at / hour) % 24)) return hour;
    return minutes.has(Math.floor(at / minute) % 60) ? 0 : minute;
  };
  return {
    pattern,
    latest(after, upTo) {
      const first = Math.max(after + 1, upTo - horizon);
      for (let at = Math.floor(upTo / second) * second; at >= first; ) {
        const skipped = idleLength(at);
        if (skipped === 0 && isDue(at)) return at;
        at = skipped === 0 ? at - second : Math.floor(at / skipped) * skipped - second;
      }
      return null;
    },
    *within(from, to) {
      for (let at = Math.ceil(from / second) * second; at <= to; ) {
        const skipped = idleLength(at);
        if (skipped === 0 && isDue(at)) yield at;
        const begun = Math.floor(at / minute) * minute;
        const next = ascending.find((each) => begun + each * second > at);
        if (skipped === 0 && next !== undefined) at = begun + next * second;
        else at = (Math.floor(at / (skipped || minute)) + 1) * (skipped || minute);
      }
    },
  };
}
