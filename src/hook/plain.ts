import { breakLinks, joiner } from '../runtime/links.ts';

/**
 * Control characters, zero-width characters and characters that change the direction of text; all are removed. Tabs and
 * line ends become spaces.
 */
const invisible = /[\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Positions at which platforms would make a command that can be tapped. */
const command = /(?<=(?:^|[^\w/])\/)(?=[A-Za-z])/g;

/**
 * Converts an outside value to one line of plain text: no control characters, nothing that can be tapped, at most
 * `maxLength` characters (plus the joiners that prevent taps), and no half characters. A value that is not a text, number or
 * boolean becomes an empty text. Mark-up is not escaped here: the renderer of each platform does that.
 */
export const plain = (value: unknown, maxLength: number): string => line(textOf(value, maxLength), maxLength);

const line = (text: string, maxLength: number): string =>
  breakLinks(cut(text.replaceAll(/\s+/g, ' ').replaceAll(invisible, '').trim(), maxLength)).replaceAll(
    command,
    joiner,
  );

/** Converts an outside value like `plain`, but keeps its lines. */
export function plainLines(value: unknown, maxLength: number): string {
  const lines = textOf(value, maxLength)
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((each) => line(each, maxLength))
    .filter((each) => each !== '');
  return cut(lines.join('\n'), maxLength);
}

/** Returns the value as text; only the beginning of a much longer text is read. */
function textOf(value: unknown, maxLength: number): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string'
    ? value
        .slice(0, 4 * maxLength)
        .toWellFormed()
        .normalize('NFC')
    : '';
}

const cut = (text: string, maxLength: number): string =>
  text.length <= maxLength
    ? text
    : `${Array.from(text)
        .slice(0, maxLength - 1)
        .join('')
        .trimEnd()}…`;
