import { quietUntil } from './quiet-hours.ts';
import { type Digest, type QuietHours, weekdays } from './subscription.ts';

/**
 * The market time (ms) of the first digest after `after`, by the clock of its time zone; one that falls into the
 * quiet hours is told at their end. Where a change to summer time skips its hour, it comes an hour later.
 */
export function digestDue(
  digest: Digest,
  { quiet, after }: { readonly quiet: QuietHours | null; readonly after: number },
): number {
  const { every, at, timeZone, weekday = 'monday' } = digest;
  const local = Temporal.Instant.fromEpochMilliseconds(Math.floor(after)).toZonedDateTimeISO(timeZone);
  const ahead = (weekdays.indexOf(weekday) + 1 - local.dayOfWeek + 7) % 7;
  const due =
    every === 'hour'
      ? nextHour(local)
      : every === 'day'
        ? next(local, { at, ahead: 0, period: 1 })
        : next(local, { at, ahead, period: 7 });
  return (quiet === null ? null : quietUntil(quiet, due)) ?? due;
}

const nextHour = (local: Temporal.ZonedDateTime): number =>
  local.round({ smallestUnit: 'hour', roundingMode: 'floor' }).add({ hours: 1 }).epochMilliseconds;

/** At that time of the day so many days ahead, or `period` days later where that is past. */
function next(
  local: Temporal.ZonedDateTime,
  { at, ahead, period }: { readonly at: string; readonly ahead: number; readonly period: number },
): number {
  const { timeZoneId: timeZone } = local;
  const plainTime = Temporal.PlainTime.from(at);
  const on = (days: number) =>
    local.toPlainDate().add({ days }).toZonedDateTime({ timeZone, plainTime }).epochMilliseconds;
  const first = on(ahead);
  return first > local.epochMilliseconds ? first : on(ahead + period);
}
