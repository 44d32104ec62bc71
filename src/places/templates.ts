import {
  partsIn,
  readTemplate,
  type Style,
  type styleNames,
  templateParts,
  unknownParts,
} from '../alert/style.ts';
import { UserError } from '../language/errors.ts';
import { listOf, msg, type Text } from '../language/text.ts';
import { lengths } from './limits.ts';

/** Templates to begin with, by their names, which stand for them wherever a template is given. */
export const gallery: Readonly<Record<string, string>> = {
  trader: '{title}\\n{price} · {change1h} · {change24h}\\n{why}\\n{first}\\n{facts}\\n{chart}\\n{links}',
  headline: '{market}: {title}\\n{change1h}',
  journal: '{title}\\n{kind}, {severity} · {time}\\n{why}\\n{record}\\n{links}',
  chart: '{title}\\n{price} · {change24h}\\n{chart}',
};

/** How posts are to look, in the parts in which it is given; null takes a part away. What is left out stays as it is. */
export interface GivenStyle {
  readonly style?: Style['name'] | undefined;
  readonly template?: string | undefined;
  readonly color?: string | null | undefined;
  readonly footer?: string | null | undefined;
}

/** Returns the style that was given; undefined if nothing of it was, null if it is the usual one. @throws UserError */
export function readStyle(given: GivenStyle, before: Style | undefined): Style | null | undefined {
  const { style, template, color, footer } = given;
  if ([style, template, color, footer].every((part) => part === undefined)) return undefined;
  if (template !== undefined && style !== undefined && style !== 'own')
    throw new UserError(msg('A template belongs to the style "own": leave one of the two out.'));
  const name = template === undefined ? (style ?? before?.name ?? 'normal') : 'own';
  const text = template === undefined ? before?.template : checkedTemplate(template);
  if (name === 'own' && text === undefined)
    throw new UserError(
      msg('Give the template, such as template="{example}", or one of {names}.', {
        example: gallery.headline ?? '',
        names: listOf(Object.keys(gallery)),
      }),
    );
  const next: Style = {
    name,
    template: name === 'own' ? text : undefined,
    color: color === undefined ? before?.color : color === null ? undefined : colorOf(color),
    footer: footer === undefined ? before?.footer : footer === null ? undefined : footerOf(footer),
  };
  const isUsual = name === 'normal' && next.color === undefined && next.footer === undefined;
  return isUsual ? null : next;
}

/** Returns what a template may be: of known parts, with a first line, and of a length that one post holds. @throws UserError */
export function checkedTemplate(given: string): string {
  const template = (Object.hasOwn(gallery, given) ? (gallery[given] ?? '') : given).trim();
  const lines = readTemplate(template);
  const unknown = unknownParts(lines);
  if (unknown.length > 0)
    throw new UserError(
      msg('There is no part {unknown} in a post. There are: {known}.', {
        unknown: listOf([...new Set(unknown)].map(inBraces)),
        known: listOf(templateParts.map(inBraces)),
      }),
    );
  if (lines[0]?.every((piece) => typeof piece === 'string' && !visible.test(piece)))
    throw new UserError(msg('The first line of a template is the title: it must not be empty.'));
  const { template: most, templateLines, templateNames } = lengths;
  if (template.length > most || lines.length > templateLines || partsIn(lines).length > templateNames)
    throw new UserError(
      msg(
        'A template has at most {most, number} characters, {lines, number} lines and {parts, number} parts in braces.',
        { most, lines: templateLines, parts: templateNames },
      ),
      { code: 'limit' },
    );
  return template;
}

/** A character that is seen: no space, and none that only joins or directs others. */
const visible = /[^\p{C}\p{Z}\p{M}]/u;

const inBraces = (part: string): Text => `{${part}}`;

/** Reads a colour: `#30a46c`. @throws UserError */
function colorOf(given: string): number {
  const [, digits] = /^#?([\da-f]{6})$/i.exec(given.trim()) ?? [];
  if (digits === undefined) throw new UserError(msg('Give a colour as #RRGGBB, such as #30a46c, or none.'));
  return Number.parseInt(digits, 16);
}

export const colorText = (color: number): string => `#${color.toString(16).padStart(6, '0')}`;

/** Reads a footer line: a text, and the page that it leads to behind it. @throws UserError */
function footerOf(given: string): NonNullable<Style['footer']> {
  const [, text = '', url] = /^(.*?)(?:\s*(https?:\/\/\S+))?$/su.exec(given.trim()) ?? [];
  const page = url === undefined ? undefined : URL.parse(url);
  if (page === null || (page !== undefined && (page.protocol !== 'https:' || page.username !== '')))
    throw new UserError(msg('The footer’s link must be a page with https://.'));
  const label = text.trim() || (page?.host ?? '');
  if (label === '' || label.length > lengths.footer || (page?.href.length ?? 0) > lengths.footerUrl)
    throw new UserError(
      msg('A footer has at most {most, number} characters, and its link {url, number}.', {
        most: lengths.footer,
        url: lengths.footerUrl,
      }),
      { code: 'limit' },
    );
  return { text: label, url: page?.href };
}

export const footerText = ({ text, url }: NonNullable<Style['footer']>): string =>
  url === undefined ? text : `${text} ${url}`;

const nameTexts: Readonly<Record<(typeof styleNames)[number], Text>> = {
  normal: msg('normal style'),
  minimal: msg('minimal style'),
  own: msg('own template'),
};

/** Says how posts look, on one line; undefined: as usual. */
export const styleText = (style: Style | undefined): Text | undefined =>
  style &&
  listOf([
    nameTexts[style.name],
    ...(style.color === undefined ? [] : [colorText(style.color)]),
    ...(style.footer === undefined ? [] : [msg('footer: {footer}', { footer: footerText(style.footer) })]),
  ]);
