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
    'a cron pattern such as "20 */5 * * * *" is expected (seconds first)',
  );

/** Seconds looked back at most: what was due longer ago than this has no need to be caught up with. */
const horizon = 6 * hour;

/** @param pattern node-cron, seconds first */
export function createSchedule(pattern: string): Schedule {
  const task = cron.createTask(pattern, () => {}, { timezone: 'UTC' });
  const fields = cron.parse(pattern);
  const seconds = new Set(fields.second);
  const minutes = new Set(fields.minute);
  const everyHour =
    fields.hour.length === 24 &&
    fields.dayOfMonth.length === 31 &&
    fields.month.length === 12 &&
    fields.dayOfWeek.length === 7;
  // match() costs about 20 µs and is asked for every market second, 240 a wall second: two sets answer most of it. UTC
  // has no leap seconds here.
  const due = (at: number): boolean =>
    seconds.has(Math.floor(at / second) % 60) &&
    minutes.has(Math.floor(at / minute) % 60) &&
    (everyHour || task.match(new Date(at)));
  return {
    pattern,
    latest(after, upTo) {
      const first = Math.max(after + 1, upTo - horizon);
      for (let at = Math.floor(upTo / second) * second; at >= first; at -= second) if (due(at)) return at;
      return null;
    },
    *within(from, to) {
      for (let at = Math.ceil(from / second) * second; at <= to; at += second) if (due(at)) yield at;
    },
  };
}
