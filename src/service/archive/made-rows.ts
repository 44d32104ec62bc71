import { inOrder, stamped } from '../../runtime/rows.ts';
import { passed } from '../analytics/derivation.ts';
import type { TimeRange } from './archive.ts';

/** Rows made beyond the longest window that was asked for are let go of by so many. */
const slack = 500;

/** A window of market time, and the rows of the series in it: from `first` on and before `next`. */
interface Window extends TimeRange {
  readonly first: number;
  readonly next: number;
}

/** One number of the rows made, from the row `from` on and before `count`. */
interface Column {
  readonly values: Float64Array;
  from: number;
  count: number;
}

/**
 * What was made of a series' rows one after the other: as objects for the longest window that was asked for, and each of
 * their numbers as a column, where somebody asks for it. Whoever looks at one number of hundreds of rows then touches
 * no row.
 */
export class MadeRows {
  /** Of the series: all from `first` on and before `next` were made something of, or nothing can be. */
  #first: number;
  #next: number;
  readonly #times: Float64Array;
  readonly #columns = new Map<string, Column>();
  /** How many were made, and the last of them. */
  #count = 0;
  #rows: object[] = [];
  #longest = 0;

  /** @param first row of the series @param last how many it has */
  constructor(first: number, last: number) {
    this.#first = first;
    this.#next = first;
    this.#times = new Float64Array(last - first);
  }

  get next(): number {
    return this.#next;
  }

  /** Whether it is there, or can be made right after what is. */
  reaches({ first }: Pick<Window, 'first'>): boolean {
    return first >= this.#first && first <= this.#next;
  }

  /** Goes on up to before `next`, with what `make` makes of each row of the series. */
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
      this.#rows.push(stamped(one as object, time));
    }
    this.#next = next;
  }

  within({ from, to, first, next }: Window): object[] {
    this.#longest = Math.max(this.#longest, next - first);
    if (this.#rows.length > 2 * this.#longest + slack) this.#forget(this.#longest);
    const times = this.#times.subarray(0, this.#count);
    const begin = passed(times, from - 1, this.#count - (next - first));
    const end = passed(times, to, this.#count);
    const gone = this.#count - this.#rows.length;
    const rows = this.#rows.slice(begin - gone, end - gone);
    return inOrder(rows, {
      times: this.#times.subarray(begin, end),
      numbers: (name) => {
        const { values, from } = this.#column(name);
        // Meanwhile the first of them may have been let go of.
        return from <= begin
          ? values.subarray(begin, end)
          : Float64Array.from(rows, (row) => row[name as keyof object]);
      },
    });
  }

  #column(name: string): Column {
    const gone = this.#count - this.#rows.length;
    const column = this.#columns.get(name) ?? {
      values: new Float64Array(this.#times.length),
      from: gone,
      count: gone,
    };
    this.#columns.set(name, column);
    // What was let go of before anybody asked for it is not known.
    if (column.count < gone) column.from = gone;
    for (let index = Math.max(column.count, gone); index < this.#count; index += 1)
      column.values[index] = this.#rows[index - gone]?.[name as keyof object] as unknown as number;
    column.count = this.#count;
    return column;
  }

  #forget(kept: number): void {
    this.#rows = this.#rows.slice(-kept);
    // The row after the last that is forgotten is the first that is known.
    this.#first = this.#next - kept;
  }
}
