import type { Card } from '../../card/card.ts';
import { plainLine } from '../../card/plain.ts';
import { alignments } from '../../card/table.ts';
import { plainReader, type Reader, say } from '../../language/say.ts';
import { msg } from '../../language/text.ts';
import { contentOf, maxTimedRows } from './content.ts';
import { isNarrow, maxOpenRows, type TelegramMessage } from './render.ts';
import { fit, lineSize, markTimes, markup, type Piece } from './text-pieces.ts';

/** Maximum length, in code points. Telegram accepts 32,768, but some apps stop showing a message after ten thousand. */
const maxText = 8_192;
/** Maximum number of rows. A message may have 500 blocks: each row is one, and everything else is about a dozen. */
const maxRows = 400;
const maxColumns = 20;

/** The name by which a rich message refers to its picture. */
export const pictureId = 'chart';

interface RichRenderOptions {
  /** The latest time that may be shown in each reader's own zone, ms; undefined: no times are shown so. */
  readonly timesUntil: number | undefined;
  /** Whether the card's picture is sent with the message. */
  readonly picture: boolean;
}

/**
 * Renders a card as a rich message (Bot API 10.1: Rich HTML), with a heading and a real table, of which wide ones are folded.
 * Rows that do not fit are left out; the source is always kept. A line break in Rich HTML is only a space.
 */
export function renderRich(card: Card<string>, { timesUntil, picture }: RichRenderOptions): TelegramMessage {
  const { reader = plainReader, table } = card;
  const { heading, text, typed, links, footer, keyboard, times } = contentOf(card, timesUntil);
  const fitted = fit([heading, ...text, ...typed], maxText - lineSize(footer) - lineSize(links));
  const [first = [], ...others] = fitted.lines;
  const room = fitted.cut
    ? 0
    : maxText - [first, ...others, links, footer].reduce((sum, line) => sum + lineSize(line), 0);
  const renderedTable = table === undefined ? noTable : renderTable(table, { times, room, reader });
  return {
    html: [
      `<h3>${inline(plain(first))}</h3>`,
      paragraph(others.slice(0, text.length)),
      picture ? `<img src="tg://photo?id=${pictureId}"/>` : '',
      renderedTable.html,
      paragraph(others.slice(text.length)),
      links.length === 0 ? '' : paragraph([links]),
      footer.length === 0 ? '' : `<footer>${inline(plain(footer))}</footer>`,
    ].join(''),
    keyboard,
    cut: fitted.cut || renderedTable.cut,
  };
}

const inline = (line: readonly Piece[]): string => line.map(markup).join('');
const paragraph = (lines: readonly (readonly Piece[])[]): string =>
  lines.length === 0 ? '' : `<p>${lines.map(inline).join('<br>')}</p>`;

type Row = readonly (readonly Piece[])[];

interface RenderedTable {
  readonly html: string;
  readonly cut: boolean;
}
const noTable: RenderedTable = { html: '', cut: false };

/** Renders as many whole rows as fit. If the table is too wide for a phone, the rows after the first few are folded. */
function renderTable(
  table: NonNullable<Card<string>['table']>,
  {
    times,
    room,
    reader,
  }: { readonly times: ReadonlyMap<string, number>; readonly room: number; readonly reader: Reader },
): RenderedTable {
  const columns = alignments(table).slice(0, maxColumns);
  if (columns.length === 0) return noTable;
  const shownTimes = table.rows.length > maxTimedRows ? new Map() : times;
  const row = (values: readonly string[]): Row =>
    columns.map((_, index) => {
      const last = index === maxColumns - 1;
      const value = (last ? values.slice(index) : [values[index] ?? '']).map(plainLine);
      const text = value.filter((each) => each !== '').join(' · ');
      return markTimes(text === '' ? [] : [{ text, ...(index === 0 && { tag: 'b' }) }], shownTimes);
    });
  const names = row(table.columns);
  const hasHeading = names.some((name) => name.length > 0);
  const rows = table.rows.slice(0, maxRows).map(row);
  const moreText = (n: number): string => say(msg('… and {n} more', { n }), reader);

  // If rows are folded, the names of the columns appear twice.
  let left = room - 2 * rowSize(names) - 2 * lineSize([{ text: moreText(table.rows.length) }]);
  const firstHidden = rows.findIndex((each) => {
    left -= rowSize(each);
    return left < 0;
  });
  const shown = firstHidden < 0 ? rows : rows.slice(0, firstHidden);
  const missing = table.rows.length - shown.length;
  const openCount = isNarrow(table) ? shown.length : maxOpenRows;
  const folded = shown.slice(openCount);
  const renderRows = (of: readonly Row[]): string => {
    const cells = (each: Row, tag: string) =>
      each.map((cell, index) => `<${tag} align="${columns[index]}">${inline(cell)}</${tag}>`).join('');
    const lines = [
      ...(hasHeading && of.length > 0 ? [cells(names.map(plain), 'th')] : []),
      ...of.map((each) => cells(each, 'td')),
    ];
    return lines.length === 0
      ? ''
      : `<table bordered striped>${lines.map((line) => `<tr>${line}</tr>`).join('')}</table>`;
  };
  return {
    html: [
      renderRows(shown.slice(0, openCount)),
      folded.length === 0
        ? ''
        : `<details><summary>${inline([{ text: moreText(folded.length) }])}</summary>${renderRows(folded)}</details>`,
      missing === 0 ? '' : paragraph([[{ text: moreText(missing) }]]),
    ].join(''),
    cut: missing > 0,
  };
}

const rowSize = (row: Row): number => row.reduce((sum, cell) => sum + lineSize(cell) + 1, 0);
/** Removes the style of pieces for headings and footers, which have their own. */
const plain = (line: readonly Piece[]): Piece[] => line.map(({ tag: _, ...piece }) => piece);
