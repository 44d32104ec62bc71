/**
 * The widths of letters as parts of the font's size: those of Inter SemiBold, rounded up, which its regular face does not
 * exceed. Digits are as wide as the tabular ones of the page.
 */
const letterWidths: readonly (readonly [width: number, letters: string])[] = [
  [0.29, ' \u00a0Iijlıł'],
  [0.34, ",.:;!'’·"],
  [0.38, '`t|()/[\\]\u202f'],
  [0.42, 'frľť'],
  [0.5, '{}-_–гт„'],
  [0.54, '"*^з“”'],
  [0.58, '?sJLakxzавькхя'],
  [0.62, 'FcevyhnouГЕбеийлнопсучэ'],
  [0.64, 'Ebdgpq«»Зрц'],
  [0.67, '0123456789#$BPRSZßБВРТЬЯдъ'],
  [0.68, '&+<=>T~−×€'],
  [0.75, 'KXYACDUVďưАКЛНПСУХЧЭф'],
  [0.78, 'GHNOQИОЦ'],
  [0.84, 'wФЪмы'],
  [0.96, 'mM…ДМЫжшщю'],
  [1.04, '@%WЖШЩЮ—'],
];
const known = new Map(
  letterWidths.flatMap(([width, letters]) => Array.from(letters, (each) => [each, width])),
);
const invisible = /[\p{M}\p{Cf}]/u;
const picture = /\p{Emoji_Presentation}/u;

/** An ideograph fills a square, and no letter that a language has is wider. */
const widest = 1.05;
const widthOf = (letter: string): number =>
  known.get(letter) ??
  known.get(letter.normalize('NFD').charAt(0)) ??
  (invisible.test(letter) ? 0 : picture.test(letter) ? 1.4 : widest);

/** Returns how wide a text is at most, in the unit of its font's size. */
export const textWidth = (text: string, size: number): number =>
  size * Array.from(text, widthOf).reduce((sum, each) => sum + each, 0);

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Returns the letters of a text as people see them. */
export const graphemesOf = (text: string): string[] =>
  Array.from(graphemes.segment(text), ({ segment }) => segment);

/** Returns the text if there is room for it, else its beginning and `…`; nothing where there is no room for one letter. */
export function shorten(
  text: string,
  { room, size }: { readonly room: number; readonly size: number },
): string {
  if (textWidth(text, size) <= room) return text;
  let rest = room - textWidth('…', size);
  let end = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    rest -= textWidth(segment, size);
    if (rest < 0) break;
    end = index + segment.length;
  }
  return end === 0 ? '' : `${text.slice(0, end).trimEnd()}…`;
}
