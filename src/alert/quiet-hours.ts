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
  const first = endsOn.toZonedDateTime({ timeZone, plainTime: end });
  // Skipped by summer time: the clocks are past it as soon as they are put forward.
  if (!first.toPlainTime().equals(end))
    return first.getTimeZoneTransition('previous')?.epochMilliseconds ?? null;
  if (first.epochMilliseconds > now) return first.epochMilliseconds;
  // There twice: it is the second of them that is still to come.
  return endsOn.toPlainDateTime(end).toZonedDateTime(timeZone, { disambiguation: 'later' }).epochMilliseconds;
}
