import { timeFormat } from '../language/time-format.ts';
import { ageIn } from './age.ts';
import { html } from './dom.ts';
import { dates, units } from './words.ts';

export const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const clock = timeFormat(dates, { format: 'clock', timeZone });
const seconds = timeFormat(dates, { format: 'seconds', timeZone });
const dateAndClock = timeFormat(dates, { format: 'moment', timeZone });
const spelt = timeFormat(dates, { format: 'spelt', timeZone });

/** Returns a time in the visitor's zone, with the date unless it is today. Its tooltip is exact and names the zone. */
export function time(at: number): HTMLTimeElement {
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return html('time', {}, '—');
  const today = moment.toDateString() === new Date().toDateString();
  const text = (today ? clock : dateAndClock).format(moment);
  return html('time', { datetime: moment.toISOString(), title: spelt.format(moment) }, text);
}

/** Writes milliseconds in their largest unit, such as `"12 min"`. */
export const age = (ms: number): string => ageIn(units, ms);

/** Writes a time of a day that is known, such as `14:05`. */
export const clockTime = (at: number): string => clock.format(at);

/** Writes a length of time in hours and minutes, such as `"1:05"`. */
export function shortSpan(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
}

/** Writes a time with its date. */
export const momentOf = (at: number): string => dateAndClock.format(at);

/** Writes a time of a day that is known, with seconds: `14:05:09`. */
export const clockSeconds = (at: number): string => seconds.format(at);
