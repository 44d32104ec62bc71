import cron from 'node-cron';

/** A node-cron expression with seconds, read in UTC. Times are ms since the epoch. */
export interface Schedule {
  /** The first tick strictly after `after`. */
  next(after: number): number;
  /** Every tick in from ≤ t ≤ to, ascending. */
  between(from: number, to: number): Generator<number>;
}

const dayMs = 86_400_000;
/** The rarest day an expression can name, 29 February, comes at worst after 8 years. */
const horizon = 8 * 366;

/**
 * Throws where the expression is none. node-cron's own clock is never started: its `match` converts time zones
 * and costs microseconds, so it is asked once a day and the times of day are the product of the parsed fields.
 */
export function parseSchedule(expression: string): Schedule {
  const fields = cron.parse(expression);
  const task = cron.createTask(expression, () => {}, { timezone: 'UTC', unref: true });
  const matches = (at: number) => task.match(new Date(at));
  void task.destroy();

  const ascending = (values: readonly number[]) => [...values].sort((a, b) => a - b);
  const times: number[] = [];
  for (const hour of ascending(fields.hour))
    for (const minute of ascending(fields.minute))
      for (const second of ascending(fields.second)) times.push(((hour * 60 + minute) * 60 + second) * 1_000);

  function* from(start: number): Generator<number> {
    let barren = 0;
    for (let midnight = Math.floor(start / dayMs) * dayMs; barren < horizon; midnight += dayMs) {
      barren = matches(midnight + (times[0] ?? 0)) ? 0 : barren + 1;
      if (barren > 0) continue;
      for (const time of times) if (midnight + time >= start) yield midnight + time;
    }
    throw new Error(`the schedule "${expression}" names a day that never comes`);
  }

  return {
    next(after) {
      // Market time may be fractional: ticks are whole seconds.
      for (const tick of from(Math.floor(after) + 1)) return tick;
      return Number.POSITIVE_INFINITY;
    },
    *between(start, to) {
      for (const tick of from(start)) {
        if (tick > to) return;
        yield tick;
      }
    },
  };
}
