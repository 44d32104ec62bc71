import type { Severity } from '../../alert/alert.ts';
import type { Card } from '../../card/card.ts';
import { footerParts } from '../../card/footer.ts';
import { plainLine, plainLines } from '../../card/plain.ts';
import { time } from '../../language/format.ts';
import { plainReader, say } from '../../language/say.ts';
import { callbackData } from './callback-data.ts';
import { cutText, type Piece, timed } from './pieces.ts';

export interface InlineButton {
  readonly text: string;
  readonly callback_data: string;
  /** Its colour (Bot API: InlineKeyboardButton); the app's own where absent. */
  readonly style?: 'primary' | 'danger';
}

/** What a message says of a card, all but its table, before it is laid out. */
export interface Content {
  readonly heading: readonly Piece[];
  /** Lines of the summary, then the facts. */
  readonly text: readonly Piece[][];
  /** Commands that are too long for a button. */
  readonly typed: readonly Piece[][];
  /** Empty where there is none. */
  readonly footer: readonly Piece[];
  readonly keyboard: readonly (readonly InlineButton[])[];
  /** What may be shown in each reader's own zone, ms, by how it is written. */
  readonly times: ReadonlyMap<string, number>;
}

/** @param timesUntil up to when times may be shown in each reader's own zone, ms; undefined: none is */
export function contentOf(card: Card<string>, timesUntil: number | undefined): Content {
  const times = timesToTell(card, timesUntil);
  const text = [
    ...plainLines(card.summary ?? '').map((line): Piece[] => [{ text: line }]),
    ...(card.facts ?? []).map(({ name, value }): Piece[] => [
      { text: plainLine(name), tag: 'b' },
      { text: `: ${plainLine(value)}` },
    ]),
  ];
  return {
    heading: timed(heading(card), times),
    text: text.map((line) => timed(line, times)),
    footer: timed(footer(card), times),
    ...buttons(card.actions ?? []),
    times,
  };
}

const badges: Record<Severity, string> = { critical: '🔴', warning: '🟠', info: '🔵' };
const maxButtons = 8;
const buttonsInRow = 2;
/** Longer labels are cut by the app in a place of its own. */
const maxLabel = 40;

function heading({ title, url, severity, status }: Card<string>): Piece[] {
  const badge = status === 'resolved' ? '✅ ' : severity === undefined ? '' : `${badges[severity]} `;
  return [{ text: `${badge}${plainLine(title) || '–'}`, tag: 'b', href: url }];
}

/** Commands as buttons; those too long for one are written out, to be typed. */
function buttons(actions: NonNullable<Card<string>['actions']>): {
  keyboard: Content['keyboard'];
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
export const mostTimed = 40;

function timesToTell(
  { times = new Map(), dataTime, reader = plainReader }: Card<string>,
  until: number | undefined,
): ReadonlyMap<string, number> {
  const all = dataTime === undefined ? times : new Map([...times, [say(time(dataTime), reader), dataTime]]);
  return new Map([...all].filter(([, at]) => at >= 0 && at <= (until ?? Number.NaN)));
}
