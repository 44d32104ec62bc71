import type { QuietHours } from './subscription.ts';

/**
 * Returns the market time (ms) at which the quiet hours around `now` end, always later than `now`; null outside quiet hours.
 * `from` and `to` are local times of the time zone, so a night in which the clocks change is an hour shorter or longer.
 * Quiet hours that cannot be read, such as those of a zone that this ICU does not know, hold nothing back.
 */
export function quietUntil(quietHours: QuietHours, now: number): number | null {
  try {
    return endOf(quietHours, now);
  } catch {
    return null;
  }
}

function endOf({ from, to, timeZone }: QuietHours, now: number): number | null {
  const begin = Temporal.PlainTime.from(from);
  const end = Temporal.PlainTime.from(to);
  const spansMidnight = Temporal.PlainTime.compare(begin, end) > 0;
  const isQuiet = (local: Temporal.ZonedDateTime): boolean => {
    const time = local.toPlainTime();
    const isPast = (mark: Temporal.PlainTime) => Temporal.PlainTime.compare(time, mark) >= 0;
    return spansMidnight ? isPast(begin) || !isPast(end) : isPast(begin) && !isPast(end);
  };
  const local = Temporal.Instant.fromEpochMilliseconds(Math.floor(now)).toZonedDateTimeISO(timeZone);
  if (!isQuiet(local)) return null;
  // Quiet hours end when the clock shows their end, twice if it goes back, or when it is set past their end. A zone that
  // moves across the date line skips a whole day.
  const isEnd = (each: Temporal.ZonedDateTime) => each.epochMilliseconds > now && !isQuiet(each);
  const change = local.getTimeZoneTransition('next');
  const changes = change !== null && isEnd(change) ? [change] : [];
  for (const days of [0, 1, 2]) {
    const marks = (['earlier', 'later'] as const).map((disambiguation) =>
      local.toPlainDate().add({ days }).toPlainDateTime(end).toZonedDateTime(timeZone, { disambiguation }),
    );
    const ends = marks.filter(isEnd);
    if (ends.length > 0)
      return Math.min(...[...ends, ...changes].map(({ epochMilliseconds }) => epochMilliseconds));
  }
  return null;
}
