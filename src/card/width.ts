const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const ascii = /^[\x20-\x7e]*$/;
const halfwidth = /^[\uff61-\uffdc\uffe8-\uffee]/u;
/** East Asian wide and fullwidth characters, and those that are drawn as a picture (Unicode TR 11, TR 51). */
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6\p{Emoji_Presentation}]|\ufe0f|\u20e3/u;
const invisible = /^[\p{M}\p{Cf}\p{Cc}]*$/u;

const cells = (grapheme: string): number => {
  if (ascii.test(grapheme)) return grapheme.length;
  if (invisible.test(grapheme)) return 0;
  return wide.test(grapheme) && !halfwidth.test(grapheme) ? 2 : 1;
};

/** Returns how many columns a terminal needs for the text. */
export function width(text: string): number {
  if (ascii.test(text)) return text.length;
  let total = 0;
  for (const { segment } of graphemes.segment(text)) total += cells(segment);
  return total;
}

/**
 * Returns the longest beginning of a text that needs at most `columns`. It is never cut inside a character as people
 * see it.
 */
export function take(text: string, columns: number): string {
  if (ascii.test(text)) return text.slice(0, Math.max(0, columns));
  let rest = columns;
  let end = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    rest -= cells(segment);
    if (rest < 0) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/** Returns the text if it fits, else its beginning and `…`. */
export const fit = (text: string, columns: number): string =>
  width(text) <= columns ? text : columns < 1 ? '' : `${take(text, columns - 1)}…`;

/** Returns the text, filled up or cut to exactly `columns`. `align` is the side on which the text stands. */
export function pad(
  text: string,
  { columns, align = 'left' }: { readonly columns: number; readonly align?: 'left' | 'right' | undefined },
): string {
  const cell = fit(text, columns);
  const space = ' '.repeat(Math.max(0, columns - width(cell)));
  return align === 'left' ? cell + space : space + cell;
}

/** Breaks a text into lines no wider than `columns`, between words, and inside a word only if it is too long for a line. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (let word of text.split(' ')) {
    if (line !== '' && width(line) + 1 + width(word) <= columns) {
      line += ` ${word}`;
      continue;
    }
    if (line !== '') lines.push(line);
    while (width(word) > columns) {
      const part = take(word, columns);
      // A character that is wider than the line cannot be shown in it.
      if (part === '') break;
      lines.push(part);
      word = word.slice(part.length);
    }
    line = width(word) > columns ? '' : word;
  }
  if (line !== '') lines.push(line);
  return lines;
}
