import type { Card } from '../../card/card.ts';
import { cutBetween, plainLine } from '../../card/plain.ts';

/** Characters that begin mark-up anywhere: emphasis, code, spoilers, links, mentions, time stamps, custom emojis. */
const anywhere = /[\\*_~`|<>[\]@]/g;
/** The first colon of `:name:`, which Discord draws as an emoji. */
const emoji = /:(?=[\w+-]+:)/g;
/** The colon of a URL's scheme, by which Discord recognises links. */
const scheme = /:(?=\/\/)/g;
/** The marks of headings, subtext and lists, which count only at the beginning of a line and before a space. */
const lineStart = /^(#{1,3}|-#|[-+]|\d+\.)(?= )/;

/** Escapes one line of text so that nothing in it is mark-up. The result is at most twice as long. */
const escapeLine = (line: string): string => {
  const escaped = line.replace(anywhere, '\\$&').replace(emoji, '\\:').replace(scheme, '\\:');
  return escapeStart(escaped);
};
const escapeStart = (line: string): string =>
  line.replace(lineStart, (mark) => `${mark.slice(0, -1)}\\${mark.slice(-1)}`);

/** What written text is never split inside: a mention, code, a backslash with the character that it escapes. */
const units = /<\/[^<>]*>|`[^`]*`|\\.|./gsu;

/** Shortens text, never inside one of its units. */
export const cut = cutBetween(units);

/** Splits written text into parts of at most `max` UTF-16 units, each for a line of its own, never inside one of its units. */
export function split(text: string, max: number): string[] {
  const parts: string[] = [];
  let part = '';
  for (const [unit] of text.matchAll(units)) {
    // Its beginning may need one more backslash.
    if (part.length + unit.length >= max) {
      parts.push(escapeStart(part));
      part = '';
    }
    part += unit;
  }
  return part === '' ? parts : [...parts, escapeStart(part)];
}

/** The ids of the registered commands by what is typed after the slash: `funding`, `alert list`. */
export type CommandIds = ReadonlyMap<string, string>;
export const noCommandIds: CommandIds = new Map();

/** Writes one line so that nothing in it is mark-up, except for the commands that the card names. */
export type WriteLine = (line: string) => string;

/** @param ids commands that are not in it are written as code */
export function lineWriter({ typed = new Set() }: Pick<Card<string>, 'typed'>, ids: CommandIds): WriteLine {
  if (typed.size === 0) return escapeLine;
  // The longest first, because "/alert list" begins "/alert list all".
  const lines = [...typed].map(plainLine).sort((a, b) => b.length - a.length);
  const line = `(?:${lines.map(RegExp.escape).join('|')})`;
  const named = new RegExp(`(["“«]${line}["”»]|(?<![\\w/<])${line}(?![\\w-]))`);
  return (text) =>
    text
      .split(named)
      .map((part, index) => (index % 2 === 1 ? mention(part, ids) : escapeLine(part)))
      .join('');
}

/** Characters of a command line that are shown: the longest usage is shorter. */
const maxCommand = 400;

/**
 * Returns a mention, which puts the command into the reader's input when it is clicked (API docs, "Message formatting"), with its
 * options behind it, as Discord has no mention with options. A command that has sub-commands cannot be mentioned itself.
 */
function mention(named: string, ids: CommandIds): string {
  // What stands out needs no quotation marks.
  const line = named.replace(/^["“«](.*)["”»]$/, '$1');
  const words = line.slice(1).split(' ');
  const path = [words.slice(0, 2).join(' '), words[0] ?? ''].find((each) => ids.has(each));
  if (path === undefined) return inCode(line);
  const options = line.slice(1 + path.length).trim();
  return `</${path}:${ids.get(path)}>${options === '' ? '' : ` ${inCode(options)}`}`;
}

const inCode = (text: string): string => `\`${bare(code(text), maxCommand)}\``;

/** Puts text on one line, escapes it so that nothing in it is mark-up, and shortens it to `max` UTF-16 units. */
export const line = (text: string, max: number): string => cut(escapeLine(plainLine(text)), max);

/** Does the same as `line` without escaping, where Discord reads no Markdown: footers, buttons, authors, choices. */
export const bare = (text: string, max: number): string => cut(plainLine(text), max);

/** Puts text on one line for a code block. Only the fence ``` is mark-up there, so backticks are replaced. */
export const code = (text: string): string => plainLine(text).replaceAll('`', '\u02cb');
