import type { QuietHours } from './subscription.ts';

/**
 * The market time (ms) at which the quiet hours around `now` end; null outside them.
 * Wall-clock times of the zone: across a change to or from summer time the night is an hour shorter or longer.
 */
export function quietUntil({ from, to, timeZone }: QuietHours, now: number): number | null {
  const local = Temporal.Instant.fromEpochMilliseconds(Math.floor(now)).toZonedDateTimeISO(timeZone);
  const begin = Temporal.PlainTime.from(from);
  const end = Temporal.PlainTime.from(to);
  const time = local.toPlainTime();
  const passed = (mark: Temporal.PlainTime) => Temporal.PlainTime.compare(time, mark) >= 0;
  const spansMidnight = Temporal.PlainTime.compare(begin, end) > 0;
  const quiet = spansMidnight ? passed(begin) || !passed(end) : passed(begin) && !passed(end);
  if (!quiet) return null;
  const endsOn = local.toPlainDate().add({ days: spansMidnight && passed(begin) ? 1 : 0 });
  return endsOn.toZonedDateTime({ timeZone, plainTime: end }).epochMilliseconds;
}
