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

/** The results (`Derivation`) computed from a series' rows in order. They are kept for the longest requested window. */
export class MadeRows {
  /** Indexes in the series: the rows from `#first` on and before `#next` have been processed. */
  #first: number;
  #next: number;
  readonly #times: Float64Array;
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
    const droppedCount = this.#count - this.#rows.length;
    return inOrder(
      this.#rows.slice(countUpTo(times, from - 1) - droppedCount, countUpTo(times, to) - droppedCount),
    );
  }

  #forget(keptCount: number): void {
    this.#rows = this.#rows.slice(-keptCount);
    // The results of the series' rows from this index on are still here.
    this.#first = this.#next - keptCount;
  }
}
