import { inOrder, rememberTime } from '../../runtime/rows.ts';
import type { TimeRange } from '../archive/archive.ts';
import { countUpTo } from '../archive/derivation.ts';

/** Old results are dropped when there are this many times as many as in the longest requested window, and some more. */
const slack = { factor: 1.25, rows: 100 };

/** A window of market time, and the indexes of the series' rows in it: from `first` on and before `next`. */
interface Window extends TimeRange {
  readonly first: number;
  readonly next: number;
}

/** One numeric field of the results, from the index `from` on and before `count`. */
interface Column {
  readonly values: Float64Array;
  from: number;
  count: number;
}

/**
 * The results (`Derivation`) computed from a series' rows in order. They are kept as objects for the longest requested
 * window, and each of their numeric fields as a column once it is requested. A caller that reads one number of hundreds
 * of results then touches no object.
 */
export class MadeRows {
  /** Indexes in the series: the rows from `#first` on and before `#next` have been processed. */
  #first: number;
  #next: number;
  readonly #times: Float64Array;
  readonly #columns = new Map<string, Column>();
  /** The number of results computed, and the newest of them. */
  #count = 0;
  #rows: object[] = [];
  #longest = 0;

  /** @param first Index of the first row to process. @param last Number of rows in the series. */
  constructor(first: number, last: number) {
    this.#first = first;
    this.#next = first;
    this.#times = new Float64Array(last - first);
  }

  get next(): number {
    return this.#next;
  }

  /** Tells whether the window's results are here, or can be computed right after those that are. */
  canReach({ first }: Pick<Window, 'first'>): boolean {
    return first >= this.#first && first <= this.#next;
  }

  /** Computes the results of the rows before the index `next`, with `make` for each row of the series. */
  make(
    next: number,
    { make, times }: { readonly make: (index: number) => unknown; readonly times: Float64Array },
  ): void {
    for (let index = this.#next; index < next; index += 1) {
      const one = make(index);
      if (one === undefined) continue;
      const time = times[index] as number;
      this.#times[this.#count] = time;
      this.#count += 1;
      this.#rows.push(rememberTime(one as object, time));
    }
    this.#next = next;
  }

  within({ from, to, first, next }: Window): object[] {
    this.#longest = Math.max(this.#longest, next - first);
    if (this.#rows.length > slack.factor * this.#longest + slack.rows) this.#forget(this.#longest);
    const times = this.#times.subarray(0, this.#count);
    const begin = countUpTo(times, from - 1, this.#count - (next - first));
    const end = countUpTo(times, to, this.#count);
    const droppedCount = this.#count - this.#rows.length;
    const rows = this.#rows.slice(begin - droppedCount, end - droppedCount);
    return inOrder(rows, {
      times: this.#times.subarray(begin, end),
      numbers: (name) => {
        const { values, from } = this.#column(name);
        // The first results may have been dropped before the column was built.
        return from <= begin
          ? values.subarray(begin, end)
          : Float64Array.from(rows, (row) => row[name as keyof object]);
      },
    });
  }

  #column(name: string): Column {
    const droppedCount = this.#count - this.#rows.length;
    const column = this.#columns.get(name) ?? {
      values: new Float64Array(this.#times.length),
      from: droppedCount,
      count: droppedCount,
    };
    this.#columns.set(name, column);
    // Results that were dropped before the column was brought up to date are missing in it.
    if (column.count < droppedCount) column.from = droppedCount;
    for (let index = Math.max(column.count, droppedCount); index < this.#count; index += 1)
      column.values[index] = this.#rows[index - droppedCount]?.[name as keyof object] as unknown as number;
    column.count = this.#count;
    return column;
  }

  #forget(keptCount: number): void {
    this.#rows = this.#rows.slice(-keptCount);
    // The results of the series' rows from this index on are still here.
    this.#first = this.#next - keptCount;
  }
}
