import { z } from 'zod';
import { day, hour, minute, second } from './lengths.ts';

export { day, hour, minute, second } from './lengths.ts';

const unit: Record<string, number> = { ms: 1, s: second, m: minute, h: hour, d: day, w: 7 * day };

/**
 * Converts `"90s"`, `"15m"`, `"4h"`, `"1h30m"`, `"7d"` to milliseconds. Returns undefined if the text is not a
 * duration.
 */
export function parseDuration(text: string): number | undefined {
  const compact = text.trim().toLowerCase().replaceAll(' ', '');
  if (!/^(\d+(\.\d+)?(ms|[smhdw]))+$/.test(compact)) return undefined;
  let total = 0;
  for (const [, amount, name] of compact.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g)) {
    total += Number(amount) * (unit[name ?? ''] ?? Number.NaN);
  }
  return total;
}

/** Writes a length of time as it is typed, in the largest unit that gives a whole number: `90m`. */
export function typedLength(ms: number): string {
  const units = [
    ['d', day],
    ['h', hour],
    ['m', minute],
  ] as const;
  const [name, size] =
    units.find(([, size]) => ms > 0 && ms % size === 0) ?? (ms === 0 ? ['m', minute] : ['s', second]);
  return `${ms / size}${name}`;
}

/**
 * Writes milliseconds in their two largest units, such as `"1 d 4 h"`; zero, and what rounds to zero seconds, is `"0
 * s"`.
 */
export function formatDuration(ms: number): string {
  const parts: string[] = [];
  let rest = Math.max(0, Math.round(ms / second)) * second;
  for (const [name, size] of [
    ['d', day],
    ['h', hour],
    ['min', minute],
    ['s', second],
  ] as const) {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    if (amount > 0) parts.push(`${amount} ${name}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(' ') || '0 s';
}

const giveDuration = 'give a duration such as "90s", "15m", "4h" or "7d"';

/** The longest duration of a setting, ms: ten years. A date that is that far away can still be computed with. */
const longest = 3_650 * day;

/** Schema of a duration as people write it in the configuration; its output is milliseconds. */
export const duration = z.string({ error: giveDuration }).transform((text, context) => {
  const ms = parseDuration(text);
  if (ms !== undefined && ms <= longest) return ms;
  context.addIssue({ code: 'custom', message: ms === undefined ? giveDuration : 'give at most 3650d' });
  return z.NEVER;
});

/** Schema of how long an answer may take. Timers of more than 24 days would end at once. */
export const timeLimit = duration
  .refine((ms) => ms >= 100, 'give at least 100ms')
  .refine((ms) => ms <= hour, 'give at most 1h');

/** Whole minutes as text, by their number since 1970. */
const minutes = new Map<number, string>();
const maxMinutes = 5_000;
const digits = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0'));
const two = (number: number): string => (number < 10 ? `0${number}` : `${number}`);

/**
 * Writes milliseconds as ISO 8601 UTC with milliseconds, the form that the contract uses. Most rows have the time of a
 * whole minute, and rows of many symbols the same one: they share one text, which saves time and, where rows are kept,
 * memory.
 */
export function iso(ms: number): string {
  const number = Math.floor(ms / minute);
  let text = minutes.get(number);
  if (text === undefined) {
    text = new Date(number * minute).toISOString();
    if (minutes.size >= maxMinutes) minutes.clear();
    minutes.set(number, text);
  }
  const rest = Math.floor(ms - number * minute);
  if (rest === 0) return text;
  const seconds = `${two(Math.floor(rest / second))}.${digits[rest % second]}Z`;
  return `${text.slice(0, -'00.000Z'.length)}${seconds}`;
}
