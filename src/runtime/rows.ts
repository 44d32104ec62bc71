import { msOf } from './units.ts';

/** Rows with a time, as they go from the archive to a detector in one process: what was known of them need not be found anew. */
const time = Symbol('market ms');
/** Whoever copies, compares or writes the rows does not see it. */
const order = Symbol('in the order of time');
const copy = Symbol('with its time');

interface Stamped {
  readonly timestamp: string;
  readonly [time]?: number;
}

/** A row of an answer with its data time, market ms. */
export type Timed<Row> = Row & { readonly at: number };

/** Remembers the time of a row as a number. It is in no JSON. */
export function stamped<Row>(row: Row, ms: number): Row {
  if (typeof row === 'object' && row !== null) (row as { [time]?: number })[time] = ms;
  return row;
}

/** A row's data time, market ms. */
export const timeOf = (row: Stamped): number => row[time] ?? msOf(row.timestamp);

/** The row with its data time: of a stamped one, which comes with answer after answer, the same each time. */
export function timed<Row extends Stamped>(row: Row & { [copy]?: Timed<Row> }): Timed<Row> {
  const ms = row[time];
  if (ms === undefined) return { ...row, at: msOf(row.timestamp) };
  row[copy] ??= { ...row, at: ms };
  return row[copy];
}

/** What whoever made rows has of them besides: their times, and any of their numbers, as columns. */
interface Columns {
  readonly times: Float64Array;
  readonly numbers: (name: string) => Float64Array;
}

/** Whoever makes rows in the order of time, each time once, says so, and nobody needs to look again. */
export function inOrder<Rows extends readonly object[]>(rows: Rows, columns: Columns | true = true): Rows {
  return Object.defineProperty(rows, order, { value: columns, enumerable: false });
}

export const isInOrder = (rows: readonly object[]): boolean => said(rows) !== undefined;

/** Where rows were made with columns. */
export const columnsOf = (rows: readonly object[]): Columns | undefined => {
  const columns = said(rows);
  return columns === true ? undefined : columns;
};

const said = (rows: readonly object[]) => (rows as { readonly [order]?: Columns | true })[order];
