import type { ArchiveReader, SeriesName, SeriesRows, TimeRange } from './archive.ts';
import type { Columns } from './columns.ts';

/** A computation of rows from a series' rows: at most one result per row, from that row and the two right before it. */
export interface Derivation<Row, Made> {
  /** How long before a window the rows begin that the window's first result is computed from, ms. */
  readonly lead: number;
  /**
   * Computes the result for the row at `index`, where there is one. The result consists of plain values and is always the
   * same for the same rows, because it is cached. The rows before `index` may be missing (index 0 or 1).
   */
  readonly make: (rows: Columns<Row>, index: number) => Made | undefined;
}

/** Computes the results for the rows from `from` on. @param rows ascending, beginning by the lead before `from` */
export function deriveRows<Row, Made>(
  rows: Columns<Row> & { readonly time: Float64Array },
  derivation: Derivation<Row, Made>,
  from: number,
): Made[] {
  const made: Made[] = [];
  for (const [index, time] of rows.time.entries()) {
    const one = time >= from ? derivation.make(rows, index) : undefined;
    if (one !== undefined) made.push(one);
  }
  return made;
}

/** Returns the results computed from a series' rows in from ≤ time ≤ to; taken from the archive's cache if it has one. */
export function derived<Name extends SeriesName, Made>(
  archive: ArchiveReader,
  {
    name,
    symbol,
    from,
    to,
    derivation,
  }: {
    readonly name: Name;
    readonly symbol: string;
    readonly derivation: Derivation<SeriesRows[Name], Made>;
  } & TimeRange,
): Promise<Made[]> {
  return archive.derived === undefined
    ? archive
        .columns(name, { symbol, window: { from: from - derivation.lead, to } })
        .then((rows) => deriveRows(rows, derivation, from))
    : archive.derived(name, { symbol, window: { from, to }, derivation });
}

/** Returns how many of the ascending `times` are at or before `time`. */
export function countUpTo(times: ArrayLike<number>, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
