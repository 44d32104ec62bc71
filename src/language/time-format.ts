import { memoized } from './memoized.ts';

const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const date = { day: 'numeric', month: 'short' } as const;

/** The formats of times on cards, charts and the page. */
const formats = {
  clock,
  seconds: { ...clock, second: '2-digit' },
  date,
  moment: { ...date, ...clock },
  monthAndYear: { month: 'short', year: 'numeric' },
  year: { year: 'numeric' },
  whole: { ...date, year: 'numeric', ...clock, timeZoneName: 'short' },
  weekly: { weekday: 'long', ...clock },
  spelt: { dateStyle: 'full', timeStyle: 'long', hourCycle: 'h23' },
} satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;

/**
 * Returns the date format for a locale.
 * @param dates BCP 47 tag of the locale in which the reader's language writes dates
 */
export const timeFormat = memoized(
  (
    dates: string,
    { format, timeZone }: { readonly format: keyof typeof formats; readonly timeZone: string },
  ) => new Intl.DateTimeFormat(dates, { ...formats[format], timeZone }),
);

/** Whether this version of ICU knows the time zone: another version may have stored one that it does not. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}
