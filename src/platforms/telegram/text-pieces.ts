import { breakLinks, joiner } from '../../runtime/links.ts';
import { second } from '../../runtime/units.ts';

/** A piece of text in one style. Pieces do not nest, so that cutting one never breaks a tag. */
export interface Piece {
  readonly text: string;
  readonly tag?: 'b' | 'i' | 'pre' | 'code';
  readonly href?: string | undefined;
  /** Unix time, seconds. Apps that can show it in the reader's own zone; others show the text. */
  readonly at?: number;
  /** The line of this piece, with the folded lines next to it, is collapsed until the reader opens it. */
  readonly folded?: true;
}

/** Splits a line so that each time in it becomes a piece of its own. */
export const markTimes = (line: readonly Piece[], times: ReadonlyMap<string, number>): Piece[] =>
  [...times].reduce<Piece[]>(
    (pieces, [timeText, at]) =>
      pieces.flatMap((piece) => {
        const isIndivisible = piece.tag === 'pre' || piece.href !== undefined || piece.at !== undefined;
        const texts = isIndivisible ? [] : piece.text.split(timeText);
        if (texts.length < 2) return [piece];
        const timePiece: Piece = { ...piece, text: timeText, at: Math.floor(at / second) };
        return texts
          .flatMap((text, index) => [...(index === 0 ? [] : [timePiece]), { ...piece, text }])
          .filter(({ text }) => text !== '');
      }),
    [...line],
  );

/** Keeps whole lines as long as they fit. The first line that does not fit is cut; the lines after it are left out. */
export function fit(lines: readonly (readonly Piece[])[], limit: number): { lines: Piece[][]; cut: boolean } {
  const kept: Piece[][] = [];
  let room = limit;
  for (const line of lines) {
    const needed = line.reduce((sum, { text }) => sum + size(text), 0);
    if (needed > room) {
      const part: Piece[] = [];
      for (const { at, ...piece } of line) {
        const text = cutText(piece.text, room);
        // An app would show the whole time even if its text has been cut, so a cut text is no longer a time.
        if (text !== '')
          part.push({ ...piece, text, ...(text === piece.text && at !== undefined && { at }) });
        room -= size(text);
        if (text !== piece.text) break;
      }
      return { lines: part.length === 0 ? kept : [...kept, part], cut: true };
    }
    kept.push([...line]);
    room -= needed + 1;
  }
  return { lines: kept, cut: false };
}

export const lineSize = (line: readonly Piece[]): number =>
  line.reduce((sum, { text }) => sum + size(text) + 1, 0);

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

const ascii = /^[\x20-\x7e]*$/;

/** Returns the length as Telegram counts it: in code points, including the joiners that `disarm` adds. */
function size(text: string): number {
  const disarmed = disarm(text);
  return ascii.test(disarmed) ? disarmed.length : [...disarmed].length;
}

/** Shortens text to `limit` code points, never inside a character that a person sees; `…` shows that it was cut. */
export function cutText(text: string, limit: number): string {
  if (size(text) <= limit) return text;
  let kept = '';
  let room = limit - 1;
  for (const { segment } of graphemes.segment(disarm(text))) {
    room -= size(segment);
    if (room < 0) break;
    kept += segment;
  }
  return limit < 1 ? '' : `${kept.trimEnd()}…`;
}

/** After the @ of a name, and inside an IPv4 address, of which Telegram makes a link as well. */
const tappable = /(?<=@)(?!\u2060)|(?<=(?:^|[^\d.])\d{1,3}\.)(?=(?:\d{1,3}\.){2}\d)/g;

/** Inserts word joiners, so that names, domains and addresses in the data notify nobody and lead nowhere. */
const disarm = (text: string): string => breakLinks(text).replaceAll(tappable, joiner);

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? '');

/** Shows date and time of day as the reader's app writes them (Bot API: date-time entity formatting). */
const timeFormat = 'Dt';

export const markup = ({ text, tag, href, at }: Piece): string => {
  const escaped = escapeHtml(disarm(text));
  const inner =
    href !== undefined
      ? `<a href="${escapeHtml(href)}">${escaped}</a>`
      : at !== undefined
        ? `<tg-time unix="${at}" format="${timeFormat}">${escaped}</tg-time>`
        : escaped;
  return tag === undefined ? inner : `<${tag}>${inner}</${tag}>`;
};
