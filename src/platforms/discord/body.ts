import type { Card } from '../../card/card.ts';
import { plainLine, plainLines } from '../../card/plain.ts';
import { layoutTable, namedCells, tableWidth } from '../../card/table.ts';
import { chunksOf } from '../../runtime/chunks.ts';
import { code, split, type WriteLine } from './text.ts';

type Table = NonNullable<Card<string>['table']>;

/** Maximum length of a paragraph in UTF-16 units: small enough for several paragraphs to fit into any message. */
const maxParagraph = 1_000;
/** Maximum length of one part of a text, which a paragraph may set in bold. */
const maxPart = maxParagraph - 10;

/** Fixed-width characters that a phone shows in one line. */
const phoneColumns = 42;
/** Rows of a table in one code block, which is one paragraph. */
const rowsInBlock = 20;
const fence = '```';

/** Splits text into paragraphs of Discord's Markdown, each at most `maxParagraph`; nothing is left out. */
export const textParagraphs = (text: string, write: WriteLine): string[] =>
  plainLines(text).flatMap((line) => split(write(line), maxPart));

export const factParagraphs = (facts: NonNullable<Card<string>['facts']>, write: WriteLine): string[] =>
  facts.flatMap(({ name, value }) => entry(name, plainLines(value), write));

/** Renders a table: in aligned columns if it holds figures and fits a phone, otherwise as a list in which nothing is cut. */
export const tableParagraphs = (table: Table, write: WriteLine): string[] =>
  figures(table) ?? list(table, write);

function figures({ columns, rows }: Table): string[] | undefined {
  const table = { columns: columns.map(code), rows: rows.map((row) => row.map(code)) };
  const figuresOnly = table.rows.every(
    (row) => row.length > 1 && row.slice(1).every((cell) => /\d/.test(cell) || !/\p{L}/u.test(cell)),
  );
  if (!figuresOnly || tableWidth(table) > phoneColumns) return undefined;
  const [heading = '', ...lines] = layoutTable(table, phoneColumns).map((each) => each.trimEnd());
  // Zero-width characters take no column but count towards the length of a line.
  if ([heading, ...lines].some((each) => each.length > phoneColumns)) return undefined;
  return chunksOf(lines, rowsInBlock).map((block) => [fence, heading, ...block, fence].join('\n'));
}

/** Renders a single row of a table, without the list marker. */
export const rowParagraphs = (
  columns: Table['columns'],
  row: Table['rows'][number],
  write: WriteLine,
): string[] => list({ columns, rows: [row] }, write).map((paragraph) => paragraph.replace(/^- /, ''));

/** Renders a table as a list. A row in which only the first cell has text becomes the heading of the rows below it. */
const list = ({ columns, rows }: Table, write: WriteLine): string[] =>
  rows.flatMap(([first = '', ...rest]) =>
    isHeading(first, rest)
      ? split(write(plainLine(first)), maxPart).map((text) => `**${text}**`)
      : entry(
          first,
          namedCells(columns, rest).map(({ name, value }) => (name === '' ? value : `${name}: ${value}`)),
          write,
        ),
  );

const isHeading = (first: string, rest: readonly string[]): boolean =>
  plainLine(first) !== '' && rest.length > 0 && rest.every((value) => plainLine(value) === '');

/** Returns a name in bold and its values as one list item, or as several paragraphs if one would be too long. */
function entry(name: string, values: readonly string[], write: WriteLine): string[] {
  const [first = '–', ...rest] = split(write(plainLine(name)), maxPart);
  const parts = values.flatMap((value) => split(write(value), maxPart));
  const bold = `- **${first}**`;
  const joined = [bold, ...parts].join(' · ');
  return rest.length === 0 && joined.length <= maxParagraph ? [joined] : [bold, ...rest, ...parts];
}

/** Joins paragraphs into one or more texts: the first of at most `first` UTF-16 units, each other of at most `others`. */
export function fillPages(
  paragraphs: readonly string[],
  first: number,
  others: number,
): [string, ...string[]] {
  const pages: [string, ...string[]] = [''];
  for (const paragraph of paragraphs) {
    const last = pages.at(-1) ?? '';
    const joined = last === '' ? paragraph : `${last}\n${paragraph}`;
    if (joined.length <= (pages.length === 1 ? first : others)) pages[pages.length - 1] = joined;
    else pages.push(paragraph);
  }
  return pages;
}
