/**
 * Draws texts as the outlines of their letters. To resvg texts are half of a picture's cost, because it reads the fonts again for
 * each letter: here it tells the outline of a letter once.
 */
import { fileURLToPath } from 'node:url';
import { Resvg } from '@resvg/resvg-js';
import { catalogueOf, languages } from '../language/languages.ts';
import { round } from './paths.ts';
import { markup, type Shape, shape } from './shape.ts';
import { graphemesOf } from './text-width.ts';

interface Letter {
  /** How far the next letter is, and the outline, both for a font of `em` pixels. */
  readonly advance: number;
  readonly outline: string;
}

const em = 100;
/** The letters of all languages that charts are in. Names of others may bring more, which are forgotten at once. */
const maxKnown = 3_000;
const known = new Map<string, Letter>();
const keyOf = (letter: string, weight: number) => `${weight}${letter}`;

/** Returns a drawing whose texts are outlines. `size` is that of a text that has none of its own. */
export function outlined(drawing: Shape, size: number): Shape {
  if (known.size > maxKnown) known.clear();
  learn(textsOf(drawing));
  return outline(drawing, size);
}

const textsOf = (drawing: Shape): readonly Shape[] =>
  drawing.tag === 'text'
    ? [drawing]
    : drawing.children.flatMap((child) => (typeof child === 'string' ? [] : textsOf(child)));

const weightOf = ({ attributes }: Shape): number => Number(attributes['font-weight'] ?? 400);
const lettersOf = (text: Shape): string[] => graphemesOf(text.children.join(''));

const fontFile = (name: string) => fileURLToPath(new URL(`fonts/${name}`, import.meta.url));

/** Returns the fonts for a text. The large ones of a language are given only if its script is in the text. */
const fontsFor = (text: string) => ({
  loadSystemFonts: false,
  fontFiles: [
    'Inter-Regular.ttf',
    'Inter-SemiBold.ttf',
    ...languages.flatMap((language) => {
      const { fonts } = catalogueOf(language).about;
      return fonts?.script.test(text) === true ? [fonts.regular, fonts.bold] : [];
    }),
  ].map(fontFile),
  defaultFontFamily: 'Inter',
  sansSerifFamily: 'Inter',
});

/** Has resvg outline the letters that are not known. A letter is as wide as it moves a bar that follows it. */
function learn(texts: readonly Shape[]): void {
  const unknown = new Map(
    texts.flatMap((text) =>
      lettersOf(text).map((letter) => [keyOf(letter, weightOf(text)), { letter, weight: weightOf(text) }]),
    ),
  );
  for (const key of known.keys()) unknown.delete(key);
  if (unknown.size === 0) return;
  const all = [...unknown.values()];
  const text = (id: string, { weight, content }: { readonly weight: number; readonly content: string }) =>
    shape('text', { id, 'font-weight': weight }, content);
  const sheet = markup(
    shape(
      'svg',
      {
        xmlns: 'http://www.w3.org/2000/svg',
        'font-family': 'Inter',
        'font-size': em,
        'font-kerning': 'none',
        'xml:space': 'preserve',
      },
      ...[400, 600].map((weight) => text(`bar${weight}`, { weight, content: '|' })),
      ...all.flatMap(({ letter, weight }, index) => [
        text(`letter${index}`, { weight, content: letter }),
        text(`moved${index}`, { weight, content: `${letter}|` }),
      ]),
    ),
  );
  const drawn = new Resvg(sheet, { font: fontsFor(sheet) }).toString();
  const outlines = new Map(
    [...drawn.matchAll(/<g id="(\w+)">\s*<path [^>]*?\bd="([^"]*)"/g)].map(([, id = '', d = '']) => [id, d]),
  );
  const barAt = (id: string) => Number(/.*M (\S+)/.exec(outlines.get(id) ?? '')?.[1] ?? 0);
  for (const [index, { letter, weight }] of all.entries())
    known.set(keyOf(letter, weight), {
      advance: barAt(`moved${index}`) - barAt(`bar${weight}`),
      outline: outlines.get(`letter${index}`) ?? '',
    });
}

function outline(drawing: Shape, size: number): Shape {
  if (drawing.tag !== 'text')
    return {
      ...drawing,
      children: drawing.children.map((child) => (typeof child === 'string' ? child : outline(child, size))),
    };
  const {
    x = 0,
    y = 0,
    'text-anchor': anchor = 'start',
    'font-size': own = size,
    'font-weight': _,
    ...rest
  } = drawing.attributes;
  const scale = Number(own) / em;
  const letters = lettersOf(drawing).flatMap((letter) => known.get(keyOf(letter, weightOf(drawing))) ?? []);
  const width = letters.reduce((sum, { advance }) => sum + advance * scale, 0);
  let left = Number(x) - width * ({ start: 0, middle: 0.5, end: 1 }[String(anchor)] ?? 0);
  const d = letters.map((letter) => {
    const path = `M${round(left)} ${y}${scaled(letter, scale)}`;
    left += letter.advance * scale;
    return path;
  });
  return shape('path', { d: d.join(''), ...rest });
}

const sizes = new WeakMap<Letter, Map<number, string>>();

/** Returns a letter's outline in its size, as the way from where the letter stands. */
function scaled(letter: Letter, scale: number): string {
  const paths = sizes.getOrInsertComputed(letter, () => new Map());
  return paths.getOrInsertComputed(scale, () => relative(letter.outline, scale));
}

function relative(path: string, scale: number): string {
  let pen: readonly number[] = [0, 0];
  let begin = pen;
  return path.replace(/([A-Z])([^A-Z]*)/g, (_, command: string, given: string) => {
    const places = given
      .trim()
      .split(/\s+/)
      .map((each) => round(Number(each) * scale));
    const way = places.map((each, index) => round(each - (pen[index % 2] ?? 0)));
    if (command === 'Z') pen = begin;
    else pen = places.slice(-2);
    if (command === 'M') begin = pen;
    return command === 'Z' ? 'z' : `${command.toLowerCase()}${way.join(' ')}`;
  });
}
