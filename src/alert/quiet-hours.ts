import type { QuietHours } from './subscription.ts';

/**
 * Returns the market time (ms) at which the quiet hours around `now` end; null outside quiet hours.
 * `from` and `to` are local times of the time zone, so a night in which the clocks change is an hour shorter or longer.
 */
export function quietUntil({ from, to, timeZone }: QuietHours, now: number): number | null {
  const local = Temporal.Instant.fromEpochMilliseconds(Math.floor(now)).toZonedDateTimeISO(timeZone);
  const begin = Temporal.PlainTime.from(from);
  const end = Temporal.PlainTime.from(to);
  const time = local.toPlainTime();
  const isPast = (mark: Temporal.PlainTime) => Temporal.PlainTime.compare(time, mark) >= 0;
  const spansMidnight = Temporal.PlainTime.compare(begin, end) > 0;
  const isQuiet = spansMidnight ? isPast(begin) || !isPast(end) : isPast(begin) && !isPast(end);
  if (!isQuiet) return null;
  const endDate = local.toPlainDate().add({ days: spansMidnight && isPast(begin) ? 1 : 0 });
  const first = endDate.toZonedDateTime({ timeZone, plainTime: end });
  // The local end time does not exist on this day, because the clocks skip it: quiet hours end when the clocks go forward.
  if (!first.toPlainTime().equals(end))
    return first.getTimeZoneTransition('previous')?.epochMilliseconds ?? null;
  if (first.epochMilliseconds > now) return first.epochMilliseconds;
  // The local end time occurs twice on this day, because the clocks go back: only the second occurrence lies ahead.
  return endDate.toPlainDateTime(end).toZonedDateTime(timeZone, { disambiguation: 'later' })
    .epochMilliseconds;
}
