import { type Card, linksOf, toneOf } from '../../card/card.ts';
import { footerParts } from '../../card/footer.ts';
import { plainLine, plainLines } from '../../card/plain.ts';
import { time } from '../../language/format.ts';
import { plainReader, say } from '../../language/say.ts';
import { chunksOf } from '../../runtime/chunks.ts';
import { callbackData, shownLineData } from './callback-data.ts';
import { cutText, markTimes, type Piece } from './text-pieces.ts';

export type InlineButton = {
  readonly text: string;
  /** The button's colour (Bot API: InlineKeyboardButton); absent: the app's default. */
  readonly style?: 'primary' | 'danger';
} & ({ readonly callback_data: string } | { readonly url: string });

/** The parts of a card's message, except its table, before they are laid out. */
interface Content {
  readonly heading: readonly Piece[];
  /** Lines of the summary, then the facts. */
  readonly text: readonly Piece[][];
  /** Empty if the card names no pages. */
  readonly links: readonly Piece[];
  /** Lines with the commands that are too long for the data of a button. */
  readonly typed: readonly Piece[][];
  /** Empty if there is no footer. */
  readonly footer: readonly Piece[];
  readonly keyboard: readonly (readonly InlineButton[])[];
  /** Times that may be shown in each reader's own zone, ms, by their text in the message. */
  readonly times: ReadonlyMap<string, number>;
}

/**
 * Returns the parts of a card's message.
 * @param timesUntil the latest time that may be shown in each reader's own zone, ms; undefined: no times are shown so
 */
export function contentOf(card: Card<string>, timesUntil: number | undefined): Content {
  const times = timesToMark(card, timesUntil);
  const text = [
    ...plainLines(card.summary ?? '').map((line): Piece[] => [{ text: line }]),
    ...(card.facts ?? []).flatMap(({ name, value }): Piece[][] => {
      const [first = '', ...rest] = plainLines(value);
      return [
        [{ text: plainLine(name), tag: 'b' }, { text: `: ${first}` }],
        ...rest.map((line) => [{ text: line }]),
      ];
    }),
  ];
  return {
    heading: markTimes(heading(card), times),
    text: text.map((line) => markTimes(line, times)),
    footer: markTimes(footer(card), times),
    links: linksLine(card),
    ...buttons(card),
    times,
  };
}

const badges = { critical: '🔴', warning: '🟠', info: '🔵', resolved: '✅' };
const maxButtons = 8;
const buttonsInRow = 2;
/** Maximum length of a button's label; apps cut longer ones at a place of their own choice. */
export const maxLabel = 40;

function heading(card: Card<string>): Piece[] {
  const { title, url } = card;
  const tone = toneOf(card);
  const badge = tone === undefined ? '' : `${badges[tone]} `;
  return [{ text: `${badge}${plainLine(title) || '–'}`, tag: 'b', href: url }];
}

/** Renders commands as buttons. Commands that are too long for the data of a button are written out too. */
function buttons(card: Card<string>): {
  keyboard: Content['keyboard'];
  typed: Piece[][];
} {
  const { actions = [] } = card;
  const pages = linksOf(card).flatMap(({ url, button }) =>
    button === undefined ? [] : [{ text: cutText(plainLine(button), maxLabel) || '–', url }],
  );
  const rendered = actions.slice(0, maxButtons).flatMap(({ label, command, weight }) => {
    const line = plainLine(command);
    const data = callbackData({ act: 'run', line });
    const text = cutText(plainLine(label), maxLabel) || '–';
    const style = weight && ({ style: weight === 'main' ? 'primary' : weight } as const);
    const button = { text, callback_data: data ?? shownLineData(line), ...style };
    return line === '' ? [] : [{ line, data, button }];
  });
  const inlineButtons = rendered.map(({ button }) => button);
  return {
    keyboard: inRows([...inlineButtons.slice(0, 1), ...pages, ...inlineButtons.slice(1)]),
    typed: rendered
      .filter(({ data }) => data === undefined)
      .map(({ button, line }) => [{ text: `${button.text}: ` }, { text: `/${line}`, tag: 'code' as const }]),
  };
}

export const inRows = (all: readonly InlineButton[]): InlineButton[][] => chunksOf(all, buttonsInRow);

const linksLine = (card: Card<string>): Piece[] =>
  linksOf(card).flatMap(({ label, url }, index): Piece[] => [
    ...(index === 0 ? [] : [{ text: ' · ' }]),
    { text: cutText(plainLine(label), maxLabel) || '–', href: url },
  ]);

/** Maximum length of a part of the footer; every time is shorter. */
const maxPartLength = 100;

function footer(card: Card<string>): Piece[] {
  const parts = footerParts(card)
    .map((part) => cutText(plainLine(part), maxPartLength))
    .filter((part) => part !== '');
  return parts.length === 0 ? [] : [{ text: parts.join(' · '), tag: 'i' }];
}

/**
 * Maximum number of rows of a table in which times are marked up. A message keeps a hundred pieces of mark-up, of which each
 * row’s name is one: further times would be shown in another zone.
 */
export const maxTimedRows = 40;

function timesToMark(
  { times = new Map(), dataTime, reader = plainReader }: Card<string>,
  until: number | undefined,
): ReadonlyMap<string, number> {
  const all = dataTime === undefined ? times : new Map([...times, [say(time(dataTime), reader), dataTime]]);
  const markable = [...all].filter(([, at]) => at >= 0 && at <= (until ?? Number.NaN));
  // The longest first, because "1 Nov 2025, 14:05 UTC" is also the end of "21 Nov 2025, 14:05 UTC".
  return new Map(markable.toSorted(([a], [b]) => b.length - a.length));
}
