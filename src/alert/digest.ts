import { hour } from '../runtime/units.ts';
import { quietUntil } from './quiet-hours.ts';
import { type Digest, type QuietHours, weekdays } from './subscription.ts';

/**
 * Returns the market time (ms) of the first digest after `after`, in the digest's time zone. A digest that falls into
 * the quiet hours is sent at their end, with all that came until then. If the change to summer time skips the digest's
 * local time, it comes an hour later.
 */
export function digestDue(
  digest: Digest,
  { quiet, after }: { readonly quiet: QuietHours | null; readonly after: number },
): number {
  const due = nextTime(digest, after);
  if (quiet === null) return due;
  // A day in which clocks change may have 23 hours.
  const [end, last] = [quietUntil(quiet, after), nextTime(digest, after - 22 * hour)];
  const isHeld = end !== null && last <= after && quietUntil(quiet, last) === end;
  return isHeld ? end : (quietUntil(quiet, due) ?? due);
}

/** Returns the first time after `after` at which the digest is wanted. Market ms. */
function nextTime({ every, at, timeZone, weekday = 'monday' }: Digest, after: number): number {
  const local = Temporal.Instant.fromEpochMilliseconds(Math.floor(after)).toZonedDateTimeISO(timeZone);
  const daysAhead = (weekdays.indexOf(weekday) + 1 - local.dayOfWeek + 7) % 7;
  return every === 'hour'
    ? nextHour(local)
    : every === 'day'
      ? nextLocalTime(local, { at, daysAhead: 0, periodDays: 1 })
      : nextLocalTime(local, { at, daysAhead, periodDays: 7 });
}

/** In real time: clocks that are set back by half an hour show the same half hour again. */
const nextHour = (local: Temporal.ZonedDateTime): number =>
  local
    .add({ hours: 1 })
    .subtract({ minutes: local.minute, seconds: local.second, milliseconds: local.millisecond })
    .epochMilliseconds;

/** Returns the local time `at` on the day `daysAhead` days from today, or `periodDays` days later if that time is past. Market ms. */
function nextLocalTime(
  local: Temporal.ZonedDateTime,
  {
    at,
    daysAhead,
    periodDays,
  }: { readonly at: string; readonly daysAhead: number; readonly periodDays: number },
): number {
  const { timeZoneId: timeZone } = local;
  const plainTime = Temporal.PlainTime.from(at);
  const timeOnDay = (days: number) =>
    local.toPlainDate().add({ days }).toZonedDateTime({ timeZone, plainTime }).epochMilliseconds;
  const first = timeOnDay(daysAhead);
  return first > local.epochMilliseconds ? first : timeOnDay(daysAhead + periodDays);
}
