import type { Chart } from '../../alert/alert.ts';
import { type Card, linksOf, toneOf } from '../../card/card.ts';
import { footerParts } from '../../card/footer.ts';
import { plainLine, plainLines } from '../../card/plain.ts';
import { layoutTable, narrowestWidth } from '../../card/table.ts';
import { fit, pad, width, wrap } from '../../card/width.ts';
import { amount, number, words } from '../../language/format.ts';
import { plainReader, type Reader, say } from '../../language/say.ts';
import { msg, type Text } from '../../language/text.ts';

interface TextOptions {
  /** Columns of the terminal; no line is wider. At least 1. */
  readonly columns: number;
  /** Whether to use ANSI colours. */
  readonly color?: boolean;
}

type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'cyan' | 'green';
interface Line {
  readonly text: string;
  readonly style?: Style;
}

const codes: Record<Style, string> = {
  bold: '1',
  dim: '2',
  red: '1;31',
  yellow: '1;33',
  cyan: '1;36',
  green: '1;32',
};
const styles = { critical: 'red', warning: 'yellow', info: 'cyan', resolved: 'green' } as const;

/** Renders a card for the terminal: lines joined by `\n`, each at most `columns` wide. */
export function renderText(card: Card<string>, { columns, color = false }: TextOptions): string {
  const lines: Line[] = [
    ...head(card, columns),
    ...plainLines(card.summary ?? '').flatMap((line) => wrap(line, columns).map((text) => ({ text }))),
    ...facts(card.facts ?? [], columns),
    ...(card.table === undefined ? [] : table(card.table, columns)),
    ...(card.chart === undefined ? [] : chart(card.chart, { columns, reader: card.reader })),
    ...(card.file === undefined ? [] : file(card.file.text, columns)),
    ...linksOf(card).flatMap(({ label, url }) => dimmed(`${plainLine(label)}: ${url}`, columns)),
    // A command is typed as it stands here, so it is never cut.
    ...(card.actions ?? []).flatMap(({ label, command }) =>
      dimmed(`› ${plainLine(label)}: ${plainLine(command)}`, columns),
    ),
    ...footer(card, columns),
  ];
  return lines
    .map(({ text, style }) => {
      const fitted = fit(text, columns).trimEnd();
      return color && style !== undefined && fitted !== '' ? `\x1b[${codes[style]}m${fitted}\x1b[0m` : fitted;
    })
    .join('\n');
}

function head(card: Card<string>, columns: number): Line[] {
  const { title, status, reader = plainReader } = card;
  const tone = toneOf(card);
  const tag = status === 'ended' ? status : tone;
  const style = tone === undefined ? 'bold' : styles[tone];
  const text = `${tag === undefined ? '' : `[${say(words(tag), reader)}] `}${plainLine(title)}`;
  return wrap(text, columns).map((line) => ({ text: line, style }));
}

function facts(entries: NonNullable<Card<string>['facts']>, columns: number): Line[] {
  const rows = entries.map(({ name, value }) => ({ name: plainLine(name), lines: plainLines(value) }));
  const nameWidth = Math.min(Math.max(0, ...rows.map(({ name }) => width(name))), Math.floor(columns * 0.4));
  const room = columns - nameWidth - 2;
  if (room < 1) return rows.map(({ name, lines }) => ({ text: [name, ...lines].join(' ') }));
  return rows.flatMap(({ name, lines }) => {
    const [first = '', ...rest] = lines.flatMap((line) => wrap(line, room));
    return [first, ...rest].map((text, index) => ({
      text: `${pad(index === 0 ? name : '', { columns: nameWidth })}  ${text}`,
    }));
  });
}

/** Lays out a table in columns; if it has too many of them, as a list of each row's cells under their headings. */
function table(given: NonNullable<Card<string>['table']>, columns: number): Line[] {
  if (narrowestWidth(given) > columns)
    return given.rows.flatMap((row) => [
      { text: plainLine(row[0] ?? '') || '–', style: 'bold' as const },
      ...facts(
        row.slice(1).map((value, index) => ({ name: given.columns[index + 1] ?? '', value })),
        columns,
      ),
    ]);
  const [heading = '', ...rows] = layoutTable(given, columns);
  return [{ text: heading, style: 'dim' }, ...rows.map((text): Line => ({ text }))];
}

function chart(
  { title, below, ...main }: Chart<string>,
  { columns, reader = plainReader }: { readonly columns: number; readonly reader?: Reader | undefined },
): Line[] {
  const panels = below === undefined ? [main] : [main, below];
  const isSingle = panels.reduce((sum, { series }) => sum + series.length, 0) === 1;
  const all = panels.flatMap(({ unit, series }) => series.map((each) => ({ ...each, unit })));
  return all.flatMap(({ name, points, unit }) => {
    const values = points.map(([, value]) => value).filter(Number.isFinite);
    const last = values.at(-1);
    if (last === undefined) return [];
    const label = plainLine(isSingle ? title : `${title}: ${name}`);
    const [low, high] = [scale(Math.min(...values)), scale(Math.max(...values))];
    const range = say(msg('{low} to {high} {unit}', { low, high, unit: plainLine(unit) }), reader);
    return [
      { text: `${label}, ${range}`, style: 'dim' as const },
      { text: sparkline(values, Math.min(columns, 60)) },
    ];
  });
}

function scale(value: number): Text {
  // Intl writes the negative zero of a side drawn downwards with a sign.
  if (value === 0) return '0';
  if (Math.abs(value) >= 1_000_000) return amount(value);
  return Math.abs(value) >= 1 ? number(value) : { number: value, as: { maximumSignificantDigits: 3 } };
}

/**
 * A file is copied from the terminal, so its lines keep their indentation, which YAML reads; what is too wide goes on below,
 * indented further.
 */
function file(text: string, columns: number): Line[] {
  const lines = text.split('\n');
  return lines.flatMap((line) => {
    const indent = (/^ */.exec(line)?.[0] ?? '').slice(0, columns - 1);
    const below = lines.length === 1 ? '' : `${indent}    `;
    const parts = wrap(plainLine(line), Math.max(1, columns - below.length));
    return parts.map((part, at) => ({ text: `${at === 0 ? indent : below}${part}` }));
  });
}

const footer = (card: Card<string>, columns: number): Line[] =>
  dimmed(footerParts(card).map(plainLine).join(' · '), columns);

const dimmed = (text: string, columns: number): Line[] =>
  wrap(text, columns).map((line) => ({ text: line, style: 'dim' }));

const bars = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/**
 * Draws values as a line of at most `columns` bars; each bar is the mean of its share of the values. Empty if there are
 * no values.
 */
function sparkline(values: readonly number[], columns: number): string {
  const finite = values.filter(Number.isFinite);
  const length = Math.min(finite.length, Math.max(0, Math.floor(columns)));
  const means = Array.from({ length }, (_, index) => {
    const from = Math.floor((index * finite.length) / length);
    const part = finite.slice(from, Math.floor(((index + 1) * finite.length) / length));
    // Each value is divided first: the sum of large values may overflow although their mean does not.
    return part.reduce((sum, value) => sum + value / part.length, 0);
  });
  const low = Math.min(...means);
  const range = Math.max(...means) - low;
  return means
    .map((mean) => {
      const height = range > 0 && Number.isFinite(range) ? (mean - low) / range : 0.5;
      return bars[Math.min(bars.length - 1, Math.floor(height * bars.length))] ?? bars[0];
    })
    .join('');
}
