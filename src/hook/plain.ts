/** Controls, and what turns the direction of text: neither is ever meant. Tabs and line ends are white space. */
const unseen = /[\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Platforms make something to tap of these by themselves: a link, a command. */
const tapped = /(?<=:)(?=\/\/)|(?<=(?:^|[^\w/])\/)(?=[A-Za-z])/g;
const joiner = '\u2060';

/**
 * What came from outside, as text: no control characters, nothing to tap, at most so many characters and the joiners that take
 * taps away, never half of one. What is neither text nor a number nor a truth value is none. What it would mean as mark-up, each
 * platform's renderer takes from it.
 */
export const plain = (value: unknown, most: number): string => line(textOf(value, most), most);

const line = (text: string, most: number): string =>
  cut(text.replaceAll(/\s+/g, ' ').replaceAll(unseen, '').trim(), most).replaceAll(tapped, joiner);

/** The same with its lines. */
export function plainLines(value: unknown, most: number): string {
  const lines = textOf(value, most)
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((each) => line(each, most))
    .filter((each) => each !== '');
  return cut(lines.join('\n'), most);
}

/** Of what is longer than is kept, no more is looked at. */
function textOf(value: unknown, most: number): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string'
    ? value
        .slice(0, 4 * most)
        .toWellFormed()
        .normalize('NFC')
    : '';
}

const cut = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${Array.from(text)
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`;
