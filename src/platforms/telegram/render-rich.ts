import type { Card } from '../../card/card.ts';
import { plainLine } from '../../card/plain.ts';
import { alignments } from '../../card/table.ts';
import { plainReader, type Reader, say } from '../../language/say.ts';
import { msg } from '../../language/text.ts';
import { contentOf, mostTimed } from './content.ts';
import { fit, lineSize, markup, type Piece, timed } from './pieces.ts';
import { isNarrow, rowsOpen, type TelegramMessage } from './render.ts';

/** Maximum length, in code points. Telegram accepts 32,768, but some apps stop showing a message after ten thousand. */
const maxText = 8_192;
/** Maximum number of rows. A message may have 500 blocks: each row is one, and everything else is about a dozen. */
const maxRows = 400;
const maxColumns = 20;

/** The name by which a rich message refers to its picture. */
export const pictureId = 'chart';

export interface RichRenderOptions {
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
  const { heading, text, typed, footer, keyboard, times } = contentOf(card, timesUntil);
  const said = fit([heading, ...text, ...typed], maxText - lineSize(footer));
  const [first = [], ...others] = said.lines;
  const room = said.cut
    ? 0
    : maxText - [first, ...others, footer].reduce((sum, line) => sum + lineSize(line), 0);
  const listed = table === undefined ? noTable : layTable(table, { times, room, reader });
  return {
    html: [
      `<h3>${inline(plain(first))}</h3>`,
      paragraph(others.slice(0, text.length)),
      picture ? `<img src="tg://photo?id=${pictureId}"/>` : '',
      listed.html,
      paragraph(others.slice(text.length)),
      footer.length === 0 ? '' : `<footer>${inline(plain(footer))}</footer>`,
    ].join(''),
    keyboard,
    cut: said.cut || listed.cut,
  };
}

const inline = (line: readonly Piece[]): string => line.map(markup).join('');
const paragraph = (lines: readonly (readonly Piece[])[]): string =>
  lines.length === 0 ? '' : `<p>${lines.map(inline).join('<br>')}</p>`;

type Row = readonly (readonly Piece[])[];

interface Listed {
  readonly html: string;
  readonly cut: boolean;
}
const noTable: Listed = { html: '', cut: false };

/** Renders as many whole rows as fit. If the table is too wide for a phone, the rows after the first few are folded. */
function layTable(
  table: NonNullable<Card<string>['table']>,
  {
    times,
    room,
    reader,
  }: { readonly times: ReadonlyMap<string, number>; readonly room: number; readonly reader: Reader },
): Listed {
  const columns = alignments(table).slice(0, maxColumns);
  if (columns.length === 0) return noTable;
  const told = table.rows.length > mostTimed ? new Map() : times;
  const row = (values: readonly string[]): Row =>
    columns.map((_, index) => {
      const last = index === maxColumns - 1;
      const value = (last ? values.slice(index) : [values[index] ?? '']).map(plainLine);
      const text = value.filter((each) => each !== '').join(' · ');
      return timed(text === '' ? [] : [{ text, ...(index === 0 && { tag: 'b' }) }], told);
    });
  const names = row(table.columns);
  const named = names.some((name) => name.length > 0);
  const rows = table.rows.slice(0, maxRows).map(row);
  const more = (n: number): string => say(msg('… and {n} more', { n }), reader);

  // If rows are folded, the names of the columns appear twice.
  let left = room - 2 * rowSize(names) - 2 * lineSize([{ text: more(table.rows.length) }]);
  const over = rows.findIndex((each) => {
    left -= rowSize(each);
    return left < 0;
  });
  const shown = over < 0 ? rows : rows.slice(0, over);
  const missing = table.rows.length - shown.length;
  const open = isNarrow(table) ? shown.length : rowsOpen;
  const folded = shown.slice(open);
  const write = (of: readonly Row[]): string => {
    const cells = (each: Row, tag: string) =>
      each.map((cell, index) => `<${tag} align="${columns[index]}">${inline(cell)}</${tag}>`).join('');
    const lines = [
      ...(named && of.length > 0 ? [cells(names.map(plain), 'th')] : []),
      ...of.map((each) => cells(each, 'td')),
    ];
    return lines.length === 0
      ? ''
      : `<table bordered striped>${lines.map((line) => `<tr>${line}</tr>`).join('')}</table>`;
  };
  return {
    html: [
      write(shown.slice(0, open)),
      folded.length === 0
        ? ''
        : `<details><summary>${inline([{ text: more(folded.length) }])}</summary>${write(folded)}</details>`,
      missing === 0 ? '' : paragraph([[{ text: more(missing) }]]),
    ].join(''),
    cut: missing > 0,
  };
}

const rowSize = (row: Row): number => row.reduce((sum, cell) => sum + lineSize(cell) + 1, 0);
/** Removes the style of pieces for headings and footers, which have their own. */
const plain = (line: readonly Piece[]): Piece[] => line.map(({ tag: _, ...piece }) => piece);
