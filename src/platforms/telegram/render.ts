import type { Severity } from '../../alert/alert.ts';
import type { Card } from '../../card/card.ts';
import { footerParts } from '../../card/footer.ts';
import { plainLine, plainLines } from '../../card/plain.ts';
import { layoutTable, tableWidth } from '../../card/table.ts';
import { time } from '../../language/format.ts';
import { plainReader, type Reader, say } from '../../language/say.ts';
import { msg } from '../../language/text.ts';
import { second } from '../../runtime/units.ts';
import { callbackData } from './callback-data.ts';

/** Code points after parsing (Bot API: sendMessage, sendPhoto). */
export const maxText = 4_096;
export const maxCaption = 1_024;

export interface TelegramRenderOptions {
  /** `maxText` or `maxCaption`. */
  readonly limit: number;
  /** Up to when times may be shown in each reader's own zone, ms; left out: none is. */
  readonly timesUntil?: number | undefined;
}

export interface InlineButton {
  readonly text: string;
  readonly callback_data: string;
  /** Its colour (Bot API: InlineKeyboardButton); the app's own where absent. */
  readonly style?: 'primary' | 'danger';
}

export interface TelegramMessage {
  /** For parse_mode HTML; never empty, and never longer than the limit. */
  readonly html: string;
  readonly keyboard: readonly (readonly InlineButton[])[];
  /** True where something had to be left out. */
  readonly cut: boolean;
}

/** A piece of text in one style. Pieces do not nest, so that cutting one never breaks a tag. */
interface Piece {
  readonly text: string;
  readonly tag?: 'b' | 'i' | 'pre';
  readonly href?: string | undefined;
  /** Unix time, seconds: shown in the reader's own zone where the app can; the text is what others show. */
  readonly at?: number;
  /** Its line, with those beside it, is folded until somebody opens it. */
  readonly folded?: true;
}

const badges: Record<Severity, string> = { critical: '🔴', warning: '🟠', info: '🔵' };
/** Monospaced characters that a phone shows in one line. */
const phoneColumns = 38;
const maxButtons = 8;
const buttonsInRow = 2;
/** Longer labels are cut by the app in a place of its own. */
const maxLabel = 40;

/** A card as a Telegram message: what does not fit is cut between tags, the source is always said. */
export function renderTelegram(
  card: Card<string>,
  { limit, timesUntil }: TelegramRenderOptions,
): TelegramMessage {
  const { reader = plainReader } = card;
  const { keyboard, typed } = buttons(card.actions ?? []);
  const told = timesToTell(card, timesUntil);
  const before = [
    ...head(card),
    ...plainLines(card.summary ?? '').map((text): Piece[] => [{ text }]),
    ...(card.facts ?? []).map(({ name, value }): Piece[] => [
      { text: plainLine(name), tag: 'b' },
      { text: `: ${plainLine(value)}` },
    ]),
  ].map((line) => timed(line, told));
  const listed = card.table === undefined ? [] : table(card.table);
  const rows = listed.length > mostTimed ? listed : listed.map((line) => timed(line, told));
  const foot = timed(footer(card), told);
  const footSize = lineSize(foot);
  const room = limit - Math.min(footSize, limit);
  const whole = fit([...before, ...rows, ...typed], room);
  const kept = (whole.cut && fitRows(before, { rows, room, reader })) || whole.lines;
  const lines = [...kept, ...(foot.length === 0 ? [] : [foot])];
  return {
    html: folding(lines)
      .map(({ folded, lines: of }) => {
        const html = of.map((line) => line.map(markup).join('')).join('\n');
        return folded ? `<blockquote expandable>${html}</blockquote>` : html;
      })
      .join('\n'),
    keyboard,
    cut: whole.cut,
  };
}

function head({ title, url, severity, status }: Card<string>): Piece[][] {
  const badge = status === 'resolved' ? '✅ ' : severity === undefined ? '' : `${badges[severity]} `;
  return [[{ text: `${badge}${plainLine(title) || '–'}`, tag: 'b', href: url }]];
}

/** Neighbours that are folded together, and those that are not. */
function folding(lines: readonly (readonly Piece[])[]) {
  const parts: { readonly folded: boolean; readonly lines: (readonly Piece[])[] }[] = [];
  for (const line of lines) {
    const folded = line[0]?.folded === true;
    const last = parts.at(-1);
    if (last?.folded === folded) last.lines.push(line);
    else parts.push({ folded, lines: [line] });
  }
  return parts;
}

/** More rows than this are folded, of which an app shows the first three. */
const rowsOpen = 5;

/** Aligned where a phone is wide enough for it, and otherwise a list in which nothing is cut. */
function table(given: NonNullable<Card<string>['table']>): Piece[][] {
  if (tableWidth(given) <= phoneColumns) {
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
  const folded = given.rows.length > rowsOpen && { folded: true as const };
  return given.rows.map(([first = '', ...rest]) => [
    { text: plainLine(first) || '–', tag: 'b', ...folded },
    {
      text: rest
        .map((value, index) => [plainLine(given.columns[index + 1] ?? ''), plainLine(value)] as const)
        .filter(([, value]) => value !== '')
        // A second column alone explains the first: its heading adds nothing.
        .map(([name, value]) => (rest.length === 1 || name === '' ? ` ${value}` : ` · ${name}: ${value}`))
        .join(''),
    },
  ]);
}

/** Commands as buttons; those too long for one are written out, to be typed. */
function buttons(actions: NonNullable<Card<string>['actions']>): {
  keyboard: TelegramMessage['keyboard'];
  typed: Piece[][];
} {
  const made = actions.slice(0, maxButtons).map(({ label, command, weight }) => ({
    text: cutText(plainLine(label), maxLabel) || '–',
    command: plainLine(command),
    data: callbackData({ act: 'run', line: plainLine(command) }),
    style: weight && ({ style: weight === 'main' ? 'primary' : weight } as const),
  }));
  const pressed = made.flatMap(({ text, data, style }) =>
    data === undefined ? [] : [{ text, callback_data: data, ...style }],
  );
  return {
    keyboard: inRows(pressed),
    typed: made
      .filter(({ data, command }) => data === undefined && command !== '')
      .map(({ text, command }) => [{ text: `${text}: /${command}` }]),
  };
}

export const inRows = (all: readonly InlineButton[]): InlineButton[][] =>
  Array.from({ length: Math.ceil(all.length / buttonsInRow) }, (_, row) =>
    all.slice(row * buttonsInRow, (row + 1) * buttonsInRow),
  );

/** Longer than any time. */
const longestPart = 100;

function footer(card: Card<string>): Piece[] {
  const parts = footerParts(card)
    .map((part) => cutText(plainLine(part), longestPart))
    .filter((part) => part !== '');
  return parts.length === 0 ? [] : [{ text: parts.join(' · '), tag: 'i' }];
}

/** A message keeps a hundred pieces of mark-up, of which a row’s name is one: the rest would be told in another zone. */
const mostTimed = 40;

/** What may be shown in each reader's own zone, ms, by how it is written. */
function timesToTell(
  { times = new Map(), dataTime, reader = plainReader }: Card<string>,
  until: number | undefined,
): ReadonlyMap<string, number> {
  const all = dataTime === undefined ? times : new Map([...times, [say(time(dataTime), reader), dataTime]]);
  return new Map([...all].filter(([, at]) => at >= 0 && at <= (until ?? Number.NaN)));
}

/** The line with its times in pieces of their own. */
const timed = (line: readonly Piece[], times: ReadonlyMap<string, number>): Piece[] =>
  [...times].reduce<Piece[]>(
    (pieces, [said, at]) =>
      pieces.flatMap((piece) => {
        const whole = piece.tag === 'pre' || piece.href !== undefined || piece.at !== undefined;
        const texts = whole ? [] : piece.text.split(said);
        if (texts.length < 2) return [piece];
        const told: Piece = { ...piece, text: said, at: Math.floor(at / second) };
        return texts
          .flatMap((text, index) => [...(index === 0 ? [] : [told]), { ...piece, text }])
          .filter(({ text }) => text !== '');
      }),
    [...line],
  );

/** Whole lines as long as they fit; the first that does not is cut, and what comes after it left out. */
function fit(lines: readonly (readonly Piece[])[], limit: number): { lines: Piece[][]; cut: boolean } {
  const kept: Piece[][] = [];
  let room = limit;
  for (const line of lines) {
    const needed = line.reduce((sum, { text }) => sum + size(text), 0);
    if (needed > room) {
      const part: Piece[] = [];
      for (const { at, ...piece } of line) {
        const text = cutText(piece.text, room);
        // An app writes a time anew, whatever is left of it.
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

/** As many whole rows as there is room for, and how many there are beside them; undefined where none or all fit. */
function fitRows(
  before: readonly Piece[][],
  {
    rows,
    room,
    reader,
  }: { readonly rows: readonly Piece[][]; readonly room: number; readonly reader: Reader },
): Piece[][] | undefined {
  const note = (left: number): Piece[] => [{ text: say(msg('… and {n} more', { n: left }), reader) }];
  let left = room - lineSize(note(rows.length));
  const shown = [...before, ...rows].findIndex((line) => {
    left -= lineSize(line);
    return left < 0;
  });
  const count = shown - before.length;
  return count <= 0 ? undefined : [...before, ...rows.slice(0, count), note(rows.length - count)];
}

const lineSize = (line: readonly Piece[]): number => line.reduce((sum, { text }) => sum + size(text) + 1, 0);

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

const plainAscii = /^[\x20-\x3f\x41-\x7e]*$/;

/** What Telegram counts: code points, the joiners that `inert` adds among them. */
const size = (text: string): number => (plainAscii.test(text) ? text.length : [...inert(text)].length);

/** At most `limit` code points, never cut inside a character a person sees; `…` says that it was cut. */
function cutText(text: string, limit: number): string {
  if (size(text) <= limit) return text;
  let kept = '';
  let room = limit - 1;
  for (const { segment } of graphemes.segment(text)) {
    room -= size(segment);
    if (room < 0) break;
    kept += segment;
  }
  return limit < 1 ? '' : `${kept.trimEnd()}…`;
}

/** A word joiner after each @: data must not notify the people it happens to name. */
const inert = (text: string): string => text.replaceAll('@', '@\u2060');

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escapeHtml = (text: string): string =>
  inert(text).replaceAll(/[&<>"]/g, (character) => escapes[character] ?? '');

/** Date and time of day, as the reader's app writes them (Bot API: date-time entity formatting). */
const timeFormat = 'Dt';

const markup = ({ text, tag, href, at }: Piece): string => {
  const said = escapeHtml(text);
  const inner =
    href !== undefined
      ? `<a href="${escapeHtml(href)}">${said}</a>`
      : at !== undefined
        ? `<tg-time unix="${at}" format="${timeFormat}">${said}</tg-time>`
        : said;
  return tag === undefined ? inner : `<${tag}>${inner}</${tag}>`;
};
