/**
 * Rows that pass from the archive to a detector in one process carry, under symbols, what is already known about them,
 * so that it is not computed again. Under this one: the row's time, market ms.
 */
const time = Symbol('market ms');
/** This property is not enumerable, so that it does not appear when the rows are copied, compared or serialised. */
const order = Symbol('in the order of time');
const copy = Symbol('with its time');

interface TimestampedRow {
  readonly timestamp: string;
  readonly [time]?: number;
}

/** A row of an answer with its data time, market ms. */
export type TimedRow<Row> = Row & { readonly at: number };

/** Remembers the time of a row as a number. It does not appear in JSON. */
export function rememberTime<Row>(row: Row, ms: number): Row {
  if (typeof row === 'object' && row !== null) (row as { [time]?: number })[time] = ms;
  return row;
}

/** A row's data time, market ms. */
export const timeOf = (row: TimestampedRow): number => row[time] ?? Date.parse(row.timestamp);

/** Returns the row with its data time. A row with a remembered time is part of many answers; it always gets the same copy. */
export function withTime<Row extends TimestampedRow>(row: Row & { [copy]?: TimedRow<Row> }): TimedRow<Row> {
  const ms = row[time];
  if (ms === undefined) return { ...row, at: Date.parse(row.timestamp) };
  row[copy] ??= { ...row, at: ms };
  return row[copy];
}

/** Marks rows as ascending by time, with each time once, so that nobody needs to check this again. */
export const inOrder = <Rows extends readonly object[]>(rows: Rows): Rows =>
  Object.defineProperty(rows, order, { value: true, enumerable: false });

export const isInOrder = (rows: readonly object[]): boolean => order in rows;
