import { cutBetween, plainLine, plainLines } from '../../card/plain.ts';

/** Characters that begin mark-up anywhere: emphasis, code, spoilers, links, mentions, time stamps, custom emojis. */
const anywhere = /[\\*_~`|<>[\]@]/g;
/** The first colon of `:name:`, which Discord draws as an emoji. */
const emoji = /:(?=[\w+-]+:)/g;
/** The colon of a URL's scheme, by which Discord recognises links. */
const scheme = /:(?=\/\/)/g;
/** The marks of headings, subtext and lists, which count only at the beginning of a line and before a space. */
const lineStart = /^(#{1,3}|-#|[-+]|\d+\.)(?= )/;

/** Escapes one line of text so that nothing in it is mark-up. The result is at most twice as long. */
export const escapeLine = (line: string): string => {
  const escaped = line.replace(anywhere, '\\$&').replace(emoji, '\\:').replace(scheme, '\\:');
  return escaped.replace(lineStart, (mark) => `${mark.slice(0, -1)}\\${mark.slice(-1)}`);
};

/** Shortens text, never between a backslash and the character that it escapes. */
export const cut = cutBetween(/\\.|./gsu);

/** Puts text on one line, escapes it so that nothing in it is mark-up, and shortens it to `max` UTF-16 units. */
export const line = (text: string, max: number): string => cut(escapeLine(plainLine(text)), max);

/** Does the same as `line` for text of several lines, which are kept. */
export const lines = (text: string, max: number): string =>
  cut(plainLines(text).map(escapeLine).join('\n'), max);

/** Does the same as `line` without escaping, where Discord reads no Markdown: footers, buttons, authors, choices. */
export const bare = (text: string, max: number): string => cut(plainLine(text), max);

/** Puts text on one line for a code block. Only the fence ``` is mark-up there, so backticks are replaced. */
export const code = (text: string): string => plainLine(text).replaceAll('`', '\u02cb');
