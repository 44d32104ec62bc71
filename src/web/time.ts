import { timeFormat } from '../language/time-format.ts';
import { day } from '../runtime/lengths.ts';
import { ageIn } from './age.ts';
import { dates, units } from './words.ts';

export const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Formats times in a zone, the visitor's unless another is given. */
const formatted = (format: Parameters<typeof timeFormat>[1]['format'], zone = timeZone) =>
  timeFormat(dates, { format, timeZone: zone });

/** Writes a time exactly, with the name of its zone. */
export const exactTime = (at: number, zone?: string): string => formatted('spelt', zone).format(at);

/** Names the zone of a time, such as `UTC`, where it is not the visitor's; else an empty text. */
export function foreignZone(at: number, zone = timeZone): string {
  const nameIn = (of: string) =>
    formatted('whole', of)
      .formatToParts(at)
      .find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const name = nameIn(zone);
  return name === nameIn(timeZone) ? '' : name;
}

/** Writes milliseconds in their largest unit, such as `"12 min"`. */
export const age = (ms: number): string => ageIn(units, ms);

/** Writes a time such as `14:05`, with its date if it is of another day than `now`. */
export function clockTime(
  at: number,
  {
    now,
    format = 'clock',
    zone,
  }: { readonly now: number; readonly format?: 'clock' | 'seconds'; readonly zone?: string | undefined },
): string {
  const date = formatted('date', zone);
  const isSameDay = date.format(at) === date.format(now) && Math.abs(now - at) < 2 * day;
  return isSameDay ? formatted(format, zone).format(at) : momentOf(at, zone);
}

/** Writes a length of time in hours and minutes, such as `"1:05"`. */
export function shortSpan(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
}

/** Writes a time with its date. */
export const momentOf = (at: number, zone?: string): string => formatted('moment', zone).format(at);
