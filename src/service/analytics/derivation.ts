/** Rows made of rows: each of one, where anything can be said of it, and of the two right before it. */
export interface Derivation<Row, Made> {
  /** How far before a window the rows reach that its first one is made of, ms. */
  readonly lead: number;
  /** Of plain values, and the same each time: what is made is kept. */
  readonly make: (
    row: Row,
    given: { readonly before: Row | undefined; readonly earlier: Row | undefined },
  ) => Made | undefined;
}

interface Timed {
  readonly time: number;
}

/** With the time of the row that each was made of, ascending. */
export interface MadeRows<Made> {
  readonly times: Float64Array;
  readonly rows: readonly Made[];
}

/** @param rows ascending */
export function makeRows<Row extends Timed, Made>(
  rows: readonly Row[],
  { make }: Derivation<Row, Made>,
): MadeRows<Made> {
  const times: number[] = [];
  const made: Made[] = [];
  for (const [index, row] of rows.entries()) {
    const one = make(row, { before: rows[index - 1], earlier: rows[index - 2] });
    if (one === undefined) continue;
    times.push(row.time);
    made.push(one);
  }
  return { times: Float64Array.from(times), rows: made };
}

/** Those of the rows from `from` on. @param rows ascending, from the lead before `from` on */
export const madeFrom = <Row extends Timed, Made>(
  rows: readonly Row[],
  { derivation, from }: { readonly derivation: Derivation<Row, Made>; readonly from: number },
): Made[] => {
  const { times, rows: made } = makeRows(rows, derivation);
  return made.slice(passed(times, from - 1));
};

/** How many of the times, ascending, are at or before `time`. */
export function passed(times: ArrayLike<number>, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
