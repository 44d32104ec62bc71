import type { Card } from './card.ts';
import { plainLine } from './plain.ts';
import { pad, width } from './width.ts';

type Table = NonNullable<Card<string>['table']>;

/** Numbers as cards write them in each language, with a unit or a percentage behind them; an empty cell, and a dash for none. */
const numeric = /^(?:–?|[−+-]?[$€]?\d[\d.,\s]*(?:[\p{L}%×$€\s]{0,7}|%.{0,16}))$/u;
/** The space between two cells, in columns of monospaced text. */
const gap = 2;

const cell = (row: readonly string[], index: number): string => plainLine(row[index] ?? '');
const columnCount = ({ columns, rows }: Table): number =>
  Math.max(columns.length, ...rows.map((row) => row.length));

/** Returns how many columns of monospaced text the table needs if nothing is cut. */
export const tableWidth = (table: Table): number =>
  columnSizes(table).reduce((sum, size) => sum + size + gap, -gap);

/** A cell is cut to this many columns at most: less would show nothing of it. */
const smallestCell = 3;

/** Returns how many columns of monospaced text the table needs if every cell is cut as far as it may be. */
export const narrowestWidth = (table: Table): number =>
  columnSizes(table).reduce((sum, size) => sum + Math.min(size, smallestCell) + gap, -gap);

const columnSizes = (table: Table): number[] =>
  Array.from({ length: columnCount(table) }, (_, index) =>
    Math.max(width(cell(table.columns, index)), ...table.rows.map((row) => width(cell(row, index)))),
  );

/** Returns on which side the cells of each column stand: numbers on the right. */
export const alignments = (table: Table): ('left' | 'right')[] =>
  Array.from({ length: columnCount(table) }, (_, index) =>
    table.rows.every((row) => numeric.test(cell(row, index))) ? 'right' : 'left',
  );

/** Returns the heading and the rows in aligned columns. Lines are no wider than `columns` if `narrowestWidth` is not. */
export function layoutTable(table: Table, columns: number): string[] {
  const aligned = alignments(table);
  const layout = columnSizes(table).map((size, index) => ({ size, align: aligned[index] ?? 'left' }));
  const room = columns - gap * (layout.length - 1);
  // The widest column is cut first.
  for (let excess = layout.reduce((sum, { size }) => sum + size, 0) - room; excess > 0; excess -= 1) {
    const widest = layout.reduce((a, b) => (b.size > a.size ? b : a));
    if (widest.size <= smallestCell) break;
    widest.size -= 1;
  }
  return [table.columns, ...table.rows].map((row) =>
    layout
      .map(({ size, align }, index) => pad(cell(row, index), { columns: size, align }))
      .join(' '.repeat(gap)),
  );
}

/**
 * Returns the cells of a row that are not empty, without the first, each with the name of its column. In a table of two columns
 * the second explains the first, and its name adds nothing: it is left out.
 */
export const namedCells = (columns: readonly string[], rest: readonly string[]) =>
  rest
    .map((_, index) => ({
      name: rest.length === 1 ? '' : cell(columns, index + 1),
      value: cell(rest, index),
    }))
    .filter(({ value }) => value !== '');
