import type { Card } from './card.ts';
import { plainLine } from './plain.ts';
import { pad, width } from './width.ts';

type Table = NonNullable<Card<string>['table']>;

const numeric = /^[-+–$]?[\d.,]*[KMBT%]?$/;
/** The space between two cells, in columns of monospaced text. */
const gap = 2;

const cell = (row: readonly string[], index: number): string => plainLine(row[index] ?? '');
const columnCount = ({ columns, rows }: Table): number =>
  Math.max(columns.length, ...rows.map((row) => row.length));

/** Returns how many columns of monospaced text the table needs if nothing is cut. */
export const tableWidth = (table: Table): number =>
  columnSizes(table).reduce((sum, size) => sum + size + gap, -gap);

const columnSizes = (table: Table): number[] =>
  Array.from({ length: columnCount(table) }, (_, index) =>
    Math.max(width(cell(table.columns, index)), ...table.rows.map((row) => width(cell(row, index)))),
  );

/** Returns on which side the cells of each column stand: numbers on the right. */
export const alignments = (table: Table): ('left' | 'right')[] =>
  Array.from({ length: columnCount(table) }, (_, index) =>
    table.rows.every((row) => numeric.test(cell(row, index))) ? 'right' : 'left',
  );

/**
 * Returns the heading and the rows in aligned columns. Lines are no wider than `columns`, unless the table has too many
 * columns.
 */
export function layoutTable(table: Table, columns: number): string[] {
  const aligned = alignments(table);
  const layout = columnSizes(table).map((size, index) => ({ size, align: aligned[index] ?? 'left' }));
  const room = columns - gap * (layout.length - 1);
  // The widest column is cut first, down to 3; a table of many columns may then still be too wide.
  for (let excess = layout.reduce((sum, { size }) => sum + size, 0) - room; excess > 0; excess -= 1) {
    const widest = layout.reduce((a, b) => (b.size > a.size ? b : a));
    if (widest.size <= 3) break;
    widest.size -= 1;
  }
  return [table.columns, ...table.rows].map((row) =>
    layout
      .map(({ size, align }, index) => pad(cell(row, index), { columns: size, align }))
      .join(' '.repeat(gap)),
  );
}
