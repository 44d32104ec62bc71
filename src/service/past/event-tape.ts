import type { TimeRange } from '../archive/archive.ts';
import { countUpTo } from '../archive/derivation.ts';

interface Timed {
  readonly time: number;
}

export interface TapeSource<Row extends Timed> {
  /** Returns the rows of a window, both ends included, ascending. */
  read(window: TimeRange): Promise<readonly Row[]>;
  /** Returns the newest `count` rows at or before `to`, ascending. */
  last(count: number, to: number): Promise<readonly Row[]>;
}

/** Events that no longer change, ascending. They are read from the source once, only as far back as any caller asks. */
export class EventTape<Row extends Timed> {
  readonly #source: TapeSource<Row>;
  #rows: readonly Row[] = [];
  /** Times of the rows: searching is faster if the times lie close together in memory. */
  #times = new Float64Array();
  /** All rows from this time on have been read. */
  #from: number;
  #reading: Promise<void> = Promise.resolve();

  /** @param end Market ms of the newest row that may exist. */
  constructor(source: TapeSource<Row>, end: number) {
    this.#source = source;
    this.#from = end + 1;
  }

  async between({ from, to }: TimeRange): Promise<Row[]> {
    if (from < this.#from) await this.#reach(async () => from);
    return this.#rows.slice(this.#after(from - 1), this.#after(to));
  }

  async last(count: number, to: number): Promise<Row[]> {
    if (this.#after(to) < count && this.#from > Number.NEGATIVE_INFINITY) {
      await this.#reach(async () => {
        if (this.#after(to) >= count) return this.#from;
        const rows = await this.#source.last(count, to);
        return rows.length < count ? Number.NEGATIVE_INFINITY : (rows[0]?.time ?? this.#from);
      });
    }
    const end = this.#after(to);
    return this.#rows.slice(Math.max(0, end - count), end);
  }

  /** Reads older rows. Calls run one after another, so that two concurrent calls for the same rows read them once. */
  #reach(from: () => Promise<number>): Promise<void> {
    this.#reading = this.#reading.then(async () => {
      const readFrom = await from();
      if (readFrom >= this.#from) return;
      const older = await this.#source.read({ from: Math.max(0, readFrom), to: this.#from - 1 });
      this.#rows = [...older, ...this.#rows];
      this.#times = Float64Array.from(this.#rows, ({ time }) => time);
      this.#from = readFrom;
    });
    return this.#reading;
  }

  /** Returns how many rows are at or before `time`. */
  #after(time: number): number {
    return countUpTo(this.#times, time);
  }
}
