import type { Card } from './card.ts';
import { plainLine } from './plain.ts';
import { pad, width } from './width.ts';

type Table = NonNullable<Card<string>['table']>;

const numeric = /^[-+–$]?[\d.,]*[KMBT%]?$/;
/** Columns between two cells. */
const gap = 2;

const cell = (row: readonly string[], index: number): string => plainLine(row[index] ?? '');
const columnsOf = ({ columns, rows }: Table): number =>
  Math.max(columns.length, ...rows.map((row) => row.length));

/** Monospaced columns the table needs when nothing of it is cut. */
export const tableWidth = (table: Table): number =>
  sizes(table).reduce((sum, size) => sum + size + gap, -gap);

const sizes = (table: Table): number[] =>
  Array.from({ length: columnsOf(table) }, (_, index) =>
    Math.max(width(cell(table.columns, index)), ...table.rows.map((row) => width(cell(row, index)))),
  );

/** On which side each column stands: numbers on the right. */
export const alignments = (table: Table): ('left' | 'right')[] =>
  Array.from({ length: columnsOf(table) }, (_, index) =>
    table.rows.every((row) => numeric.test(cell(row, index))) ? 'right' : 'left',
  );

/** The heading and the rows in aligned columns, no line wider than `columns`. */
export function layoutTable(table: Table, columns: number): string[] {
  const aligned = alignments(table);
  const layout = sizes(table).map((size, index) => ({ size, align: aligned[index] ?? 'left' }));
  const room = columns - gap * (layout.length - 1);
  // The widest column gives way first; a table too narrow for all of them is cut on the right.
  for (let over = layout.reduce((sum, { size }) => sum + size, 0) - room; over > 0; over -= 1) {
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
