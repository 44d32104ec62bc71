import type { Card } from '../../card/card.ts';
import { plainLine } from '../../card/plain.ts';
import { layoutTable, namedCells, tableWidth } from '../../card/table.ts';
import { plainReader, type Reader, say } from '../../language/say.ts';
import { msg } from '../../language/text.ts';
import { contentOf, type InlineButton, maxTimedRows } from './content.ts';
import { fit, lineSize, markTimes, markup, type Piece } from './text-pieces.ts';

/** Maximum length of a text and of a caption, in code points after parsing (Bot API: sendMessage, sendPhoto). */
export const maxText = 4_096;
export const maxCaption = 1_024;

interface TelegramRenderOptions {
  /** `maxText` or `maxCaption`. */
  readonly limit: number;
  /** The latest time that may be shown in each reader's own zone, ms; absent: no times are shown so. */
  readonly timesUntil?: number | undefined;
}

export interface TelegramMessage {
  /** For parse_mode HTML; never empty, and never longer than the limit. */
  readonly html: string;
  readonly keyboard: readonly (readonly InlineButton[])[];
  /** True where something had to be left out. */
  readonly cut: boolean;
}

type Table = NonNullable<Card<string>['table']>;

/** Monospaced characters that a phone shows in one line. */
const phoneColumns = 38;

/** Renders a card as a Telegram message. Text that does not fit is cut, never inside a tag; the source is always kept. */
export function renderTelegram(
  card: Card<string>,
  { limit, timesUntil }: TelegramRenderOptions,
): TelegramMessage {
  const { reader = plainReader } = card;
  const { heading, text, typed, links, footer, keyboard, times } = contentOf(card, timesUntil);
  const head = [heading, ...text];
  const tableLines = card.table === undefined ? [] : table(card.table);
  const rows =
    tableLines.length > maxTimedRows ? tableLines : tableLines.map((line) => markTimes(line, times));
  const foot = [links, footer].filter((line) => line.length > 0);
  const footSize = foot.reduce((sum, line) => sum + lineSize(line), 0);
  const room = limit - Math.min(footSize, limit);
  const fitted = fit([...head, ...rows, ...typed], room);
  const visible = (fitted.cut && fitRows(head, { rows, room, reader })) || fitted.lines;
  const lines = [...visible, ...foot];
  return {
    html: groupByFolded(lines)
      .map(({ folded, lines: of }) => {
        const html = of.map((line) => line.map(markup).join('')).join('\n');
        return folded ? `<blockquote expandable>${html}</blockquote>` : html;
      })
      .join('\n'),
    keyboard,
    cut: fitted.cut,
  };
}

/** Groups consecutive lines by whether they are folded. */
function groupByFolded(lines: readonly (readonly Piece[])[]) {
  const parts: { readonly folded: boolean; readonly lines: (readonly Piece[])[] }[] = [];
  for (const line of lines) {
    const folded = line[0]?.folded === true;
    const last = parts.at(-1);
    if (last?.folded === folded) last.lines.push(line);
    else parts.push({ folded, lines: [line] });
  }
  return parts;
}

/** Lists with more rows than this are folded; an app then shows the first three rows. */
export const maxOpenRows = 5;

/** Whether a phone shows the table in aligned columns. */
export const isNarrow = (table: Table): boolean => tableWidth(table) <= phoneColumns;

/** Renders a table: in aligned columns if a phone is wide enough for it, otherwise as a list in which nothing is cut. */
function table(given: Table): Piece[][] {
  if (isNarrow(given)) {
    return [
      [
        {
          text: layoutTable(given, phoneColumns)
            .map((line) => line.trimEnd())
            .join('\n'),
          tag: 'pre',
        },
      ],
    ];
  }
  const folded = given.rows.length > maxOpenRows && { folded: true as const };
  return given.rows.map(([first = '', ...rest]) => [
    { text: plainLine(first) || '–', tag: 'b', ...folded },
    {
      text: namedCells(given.columns, rest)
        .map(({ name, value }) => (name === '' ? ` ${value}` : ` · ${name}: ${value}`))
        .join(''),
    },
  ]);
}

/** Returns as many whole rows as fit, and a line with the number of the others; undefined if no row or all rows fit. */
function fitRows(
  head: readonly (readonly Piece[])[],
  {
    rows,
    room,
    reader,
  }: { readonly rows: readonly Piece[][]; readonly room: number; readonly reader: Reader },
): (readonly Piece[])[] | undefined {
  const moreLine = (left: number): Piece[] => [{ text: say(msg('… and {n} more', { n: left }), reader) }];
  let left = room - lineSize(moreLine(rows.length));
  const firstHidden = [...head, ...rows].findIndex((line) => {
    left -= lineSize(line);
    return left < 0;
  });
  const count = firstHidden - head.length;
  return count <= 0 ? undefined : [...head, ...rows.slice(0, count), moreLine(rows.length - count)];
}
