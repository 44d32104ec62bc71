import { stripVTControlCharacters } from 'node:util';

/**
 * The characters that could move a cursor, or reorder or end a line: controls, surrogates without a partner, line and
 * paragraph separators, bidirectional overrides (Unicode TR 36 §2.6). Joiners inside emoji are allowed.
 */
const unsafe = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

/** Returns a text that others have written as one line, without ANSI escapes or control characters. */
export const plainLine = (text: string): string =>
  stripVTControlCharacters(text).replace(unsafe, ' ').replace(/ {2,}/g, ' ').trim();

/**
 * Returns a text that others have written as lines, broken where it has line breaks, without ANSI escapes, control
 * characters or empty lines.
 */
export const plainLines = (text: string): string[] =>
  stripVTControlCharacters(text)
    .split(/\r\n?|\n/)
    .map(plainLine)
    .filter((line) => line !== '');

/**
 * Returns a function that shortens a text to `max` UTF-16 units, the last of them `…`. A text that is not longer stays
 * as it is.
 * @param units what is never cut inside: a character as people see it, or an escape with what it escapes
 */
export const cutBetween =
  (units: RegExp) =>
  (text: string, max: number): string => {
    if (text.length <= max) return text;
    let end = 0;
    for (const [unit] of text.matchAll(units)) {
      if (end + unit.length > max - 1) break;
      end += unit.length;
    }
    return max < 1 ? '' : `${text.slice(0, end)}…`;
  };

/**
 * Returns the beginning of a text, at most `length` code points. A code point is never cut in half, which would leave
 * invalid text.
 */
export const beginning = (text: string, length: number): string => [...text].slice(0, length).join('');

/** Cuts a text to a number of bytes, never inside a character. */
export function cutBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const whole = new TextEncoder().encodeInto(text, new Uint8Array(bytes - Buffer.byteLength('…'))).read;
  return `${text.slice(0, whole)}…`;
}
