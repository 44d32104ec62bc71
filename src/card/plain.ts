import { stripVTControlCharacters } from 'node:util';

/**
 * What could move a cursor, reorder a line or end it: controls, surrogates without a partner, line
 * and paragraph separators, bidirectional overrides (Unicode TR 36 §2.6). Joiners inside emoji stay.
 */
const unsafe = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

/** Text of others on one line, without ANSI escapes or control characters. */
export const plainLine = (text: string): string =>
  stripVTControlCharacters(text).replace(unsafe, ' ').replace(/ {2,}/g, ' ').trim();

/** The same for running text, whose line breaks are kept: no empty lines. */
export const plainLines = (text: string): string[] =>
  stripVTControlCharacters(text)
    .split(/\r\n?|\n/)
    .map(plainLine)
    .filter((line) => line !== '');

/**
 * Shortens a text to `max` UTF-16 units, the last of them `…`, and leaves alone what is no longer.
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

/** At most so many code points: never half of one, which is no text. */
export const beginning = (text: string, length: number): string => [...text].slice(0, length).join('');
