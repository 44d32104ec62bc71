import type { Columns } from '../archive/columns.ts';

/** Rows made of a series' rows: each of one, where anything can be said of it, and of the two right before it. */
export interface Derivation<Row, Made> {
  /** How far before a window the rows reach that its first one is made of, ms. */
  readonly lead: number;
  /** Of plain values, and the same each time: what is made is kept. Before the first row there is none. */
  readonly make: (rows: Columns<Row>, index: number) => Made | undefined;
}

/** Those of the rows from `from` on. @param rows ascending, from the lead before `from` on */
export function madeFrom<Row, Made>(
  rows: Columns<Row> & { readonly time: Float64Array },
  { derivation, from }: { readonly derivation: Derivation<Row, Made>; readonly from: number },
): Made[] {
  const made: Made[] = [];
  for (const [index, time] of rows.time.entries()) {
    const one = time >= from ? derivation.make(rows, index) : undefined;
    if (one !== undefined) made.push(one);
  }
  return made;
}

/** How many of the times, ascending, are at or before `time`. @param guess from which on it is looked for first */
// biome-ignore lint/complexity/useMaxParams: a replay asks millions of times
export function passed(times: ArrayLike<number>, time: number, guess = 0): number {
  let low = 0;
  let high = times.length;
  if (guess > 0 && guess <= high && (times[guess - 1] as number) <= time) {
    const near = Math.min(high, guess + 8);
    for (low = guess; low < near; low += 1) if ((times[low] as number) > time) return low;
  }
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
