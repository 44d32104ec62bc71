import { type Derivation, type MadeRows, makeRows, passed } from '../analytics/derivation.ts';
import type { TimeRange } from './archive.ts';

interface Timed {
  readonly time: number;
}

/** What a tape is read from, up to the end it has. */
export interface TapeSource<Row extends Timed> {
  /** Both ends included, ascending. */
  read(window: TimeRange): Promise<readonly Row[]>;
  /** The newest `count` rows at or before `to`, ascending. */
  last(count: number, to: number): Promise<readonly Row[]>;
}

/** Ascending rows that change no more: each is read from its source once, and only as far back as anyone asked. */
export class Tape<Row extends Timed> {
  readonly #source: TapeSource<Row>;
  #rows: readonly Row[] = [];
  /** Of the rows: what is searched lies close together in memory. */
  #times = new Float64Array();
  /** All rows from this time on are here. */
  #from: number;
  #reading: Promise<void> = Promise.resolve();
  /** What was made of the rows, for as long as they are the same. */
  readonly #made = new Map<Derivation<Row, unknown>, MadeRows<unknown>>();

  /** @param end market ms of the newest row there may be */
  constructor(source: TapeSource<Row>, end: number) {
    this.#source = source;
    this.#from = end + 1;
  }

  async between({ from, to }: TimeRange): Promise<Row[]> {
    if (from < this.#from) await this.#reach(async () => from);
    return this.#rows.slice(this.#after(from - 1), this.#after(to));
  }

  /**
   * Grows with every row that enters or leaves a window that moves on: while it stays, so do the rows. Counted from the
   * newest row, as older ones may be read later.
   */
  async passed({ from, to }: TimeRange): Promise<number> {
    if (from < this.#from) await this.#reach(async () => from);
    return this.#after(from - 1) + this.#after(to) - 2 * this.#rows.length;
  }

  /** The newest row at or before `to`, where it has been read. */
  newest(to: number): Row | undefined {
    return this.#rows[this.#after(to) - 1];
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

  /** Rows made of those of a window. */
  async derived<Made>({ from, to }: TimeRange, derivation: Derivation<Row, Made>): Promise<Made[]> {
    if (from - derivation.lead < this.#from) await this.#reach(async () => from - derivation.lead);
    let made = this.#made.get(derivation) as MadeRows<Made> | undefined;
    if (made === undefined) {
      made = makeRows(this.#rows, derivation);
      this.#made.set(derivation, made);
    }
    return made.rows.slice(passed(made.times, from - 1), passed(made.times, to));
  }

  /** One at a time: two that ask for the same at once read it once. */
  #reach(from: () => Promise<number>): Promise<void> {
    this.#reading = this.#reading.then(async () => {
      const wanted = await from();
      if (wanted >= this.#from) return;
      const older = await this.#source.read({ from: Math.max(0, wanted), to: this.#from - 1 });
      this.#rows = [...older, ...this.#rows];
      this.#times = Float64Array.from(this.#rows, ({ time }) => time);
      this.#from = wanted;
      this.#made.clear();
    });
    return this.#reading;
  }

  /** How many rows are at or before `time`. */
  #after(time: number): number {
    return passed(this.#times, time);
  }
}
