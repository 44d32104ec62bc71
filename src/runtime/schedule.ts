import cron from 'node-cron';
import { z } from 'zod';
import { hour, minute, second } from './units.ts';

/** When something is due, in UTC market time. */
export interface Schedule {
  readonly pattern: string;
  /** The last due second in (after, upTo], however many were passed over; null where there is none. */
  latest(after: number, upTo: number): number | null;
  /** Every due second in [from, to], ascending. */
  within(from: number, to: number): Iterable<number>;
}

/** A node-cron pattern as written in the configuration. */
export const schedulePattern = z
  .string()
  .refine(
    (pattern) => cron.validate(pattern),
    'give a cron pattern such as "20 */5 * * * *" (seconds first)',
  );

/** Seconds looked back at most: what was due longer ago than this has no need to be caught up with. */
const horizon = 6 * hour;

/** @param pattern node-cron, seconds first */
export function createSchedule(pattern: string): Schedule {
  const task = cron.createTask(pattern, () => {}, { timezone: 'UTC' });
  const fields = cron.parse(pattern);
  const [seconds, minutes, hours] = [new Set(fields.second), new Set(fields.minute), new Set(fields.hour)];
  const ascending = [...seconds].sort((a, b) => a - b);
  const everyDay =
    fields.dayOfMonth.length === 31 && fields.month.length === 12 && fields.dayOfWeek.length === 7;
  // match() costs about 20 µs and is asked for every market second, 240 a wall second: three sets answer most of it,
  // and a replay of years passes over hours and minutes in which nothing is due. UTC has no leap seconds here.
  const due = (at: number): boolean =>
    seconds.has(Math.floor(at / second) % 60) && (everyDay || task.match(new Date(at)));
  /** The longest stretch around a moment in which nothing is due by its hour or minute, ms; 0 where something may be. */
  const idle = (at: number): number => {
    if (!hours.has(Math.floor(at / hour) % 24)) return hour;
    return minutes.has(Math.floor(at / minute) % 60) ? 0 : minute;
  };
  return {
    pattern,
    latest(after, upTo) {
      const first = Math.max(after + 1, upTo - horizon);
      for (let at = Math.floor(upTo / second) * second; at >= first; ) {
        const passed = idle(at);
        if (passed === 0 && due(at)) return at;
        at = passed === 0 ? at - second : Math.floor(at / passed) * passed - second;
      }
      return null;
    },
    *within(from, to) {
      for (let at = Math.ceil(from / second) * second; at <= to; ) {
        const passed = idle(at);
        if (passed === 0 && due(at)) yield at;
        const begun = Math.floor(at / minute) * minute;
        const next = ascending.find((each) => begun + each * second > at);
        if (passed === 0 && next !== undefined) at = begun + next * second;
        else at = (Math.floor(at / (passed || minute)) + 1) * (passed || minute);
      }
    },
  };
}
