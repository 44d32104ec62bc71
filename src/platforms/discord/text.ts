import { cutBetween, plainLine, plainLines } from '../../card/plain.ts';

/** What begins mark-up anywhere: emphasis, code, spoilers, links, mentions, time stamps, custom emojis. */
const anywhere = /[\\*_~`|<>[\]@]/g;
/** `:name:` is drawn as an emoji. */
const emoji = /:(?=[\w+-]+:)/g;
/** Links are found by their scheme. */
const scheme = /:(?=\/\/)/g;
/** Headings, subtext, lists: only at the beginning of a line and before a space. */
const lineStart = /^(#{1,3}|-#|[-+]|\d+\.)(?= )/;

/** One line of foreign text, at most twice as long, where it means nothing but itself. */
export const escapeLine = (line: string): string => {
  const escaped = line.replace(anywhere, '\\$&').replace(emoji, '\\:').replace(scheme, '\\:');
  return escaped.replace(lineStart, (mark) => `${mark.slice(0, -1)}\\${mark.slice(-1)}`);
};

/** Never inside an escape and what it escapes. */
export const cut = cutBetween(/\\.|./gsu);

/** Foreign text on one line of Discord's Markdown, where it means nothing but itself. */
export const line = (text: string, max: number): string => cut(escapeLine(plainLine(text)), max);

/** The same for running text. */
export const lines = (text: string, max: number): string =>
  cut(plainLines(text).map(escapeLine).join('\n'), max);

/** Where Discord reads no Markdown: footers, buttons, authors, choices. */
export const bare = (text: string, max: number): string => cut(plainLine(text), max);

/** For inside ``` where nothing but the fence means anything. */
export const code = (text: string): string => plainLine(text).replaceAll('`', '\u02cb');
