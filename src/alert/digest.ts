import { quietUntil } from './quiet-hours.ts';
import type { Digest, QuietHours } from './subscription.ts';

/**
 * The market time (ms) of the first digest after `after`, by the clock of its time zone; one that falls into the
 * quiet hours is told at their end. Where a change to summer time skips its hour, it comes an hour later.
 */
export function digestDue({ every, at, timeZone }: Digest, quiet: QuietHours | null, after: number): number {
  const local = Temporal.Instant.fromEpochMilliseconds(Math.floor(after)).toZonedDateTimeISO(timeZone);
  const due = every === 'hour' ? nextHour(local) : nextDay(local, at);
  return (quiet === null ? null : quietUntil(quiet, due)) ?? due;
}

const nextHour = (local: Temporal.ZonedDateTime): number =>
  local.round({ smallestUnit: 'hour', roundingMode: 'floor' }).add({ hours: 1 }).epochMilliseconds;

function nextDay(local: Temporal.ZonedDateTime, at: string): number {
  const { timeZoneId: timeZone } = local;
  const plainTime = Temporal.PlainTime.from(at);
  const on = (days: number) =>
    local.toPlainDate().add({ days }).toZonedDateTime({ timeZone, plainTime }).epochMilliseconds;
  const today = on(0);
  return today > local.epochMilliseconds ? today : on(1);
}
