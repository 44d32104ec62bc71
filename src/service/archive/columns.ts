import type { SeriesRows } from './archive.ts';

type Row = SeriesRows[keyof SeriesRows];

/** The rows of one symbol as one array of numbers per field; `time` in market ms, ascending. */
export type Columns<Row> = { readonly [Name in Exclude<keyof Row, 'symbol'>]: Float64Array };

/** @param names Names of the columns besides `time`. */
export function columnsOf<One extends Row>(rows: readonly One[], names: readonly string[]): Columns<One> {
  // Float64Array.from takes three times as long.
  const column = (name: string) => {
    const values = new Float64Array(rows.length);
    for (let index = 0; index < rows.length; index += 1) values[index] = (rows[index] as One)[name as 'time'];
    return values;
  };
  return Object.fromEntries(['time', ...names].map((name) => [name, column(name)])) as Columns<One>;
}
