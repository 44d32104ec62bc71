import type { SeriesRows, TimeRange } from '../archive/archive.ts';
import { type Columns, columnsOf } from '../archive/columns.ts';
import { countUpTo, type Derivation } from '../archive/derivation.ts';
import type { TapeSource } from './event-tape.ts';
import { MadeRows } from './made-rows.ts';

type Row = SeriesRows[keyof SeriesRows];

/**
 * One symbol's series that no longer changes. It is read once, only as far back as any caller asks, and kept as columns;
 * row objects are created on request. Results computed from rows are kept for the longest window, as a replay moves on.
 */
export class SeriesTape<One extends Row> {
  readonly #source: TapeSource<One>;
  /** A template that is copied and filled in: a row is created so in a third of the time. */
  readonly #blank: Readonly<Record<string, unknown>>;
  readonly #names: readonly string[];
  #columns: readonly Float64Array[];
  #times: Float64Array = new Float64Array();
  /** All rows from this time on have been read. */
  #from: number;
  #reading: Promise<void> = Promise.resolve();
  readonly #made = new Map<Derivation<One, unknown>, MadeRows>();

  /** @param names Names of the columns besides `time`. @param end Market ms of the newest row that may exist. */
  constructor(
    source: TapeSource<One>,
    {
      symbol,
      names,
      end,
    }: { readonly symbol: string; readonly names: readonly string[]; readonly end: number },
  ) {
    this.#source = source;
    this.#blank = {
      symbol,
      time: Number.NaN,
      ...Object.fromEntries(names.map((name) => [name, Number.NaN])),
    };
    this.#names = names;
    this.#columns = names.map(() => new Float64Array());
    this.#from = end + 1;
  }

  async between({ from, to }: TimeRange): Promise<One[]> {
    if (from < this.#from) await this.#reach(async () => from);
    return this.#rows(this.#before(from), this.#after(to));
  }

  async columns({ from, to }: TimeRange): Promise<Columns<One>> {
    if (from < this.#from) await this.#reach(async () => from);
    return this.#part(this.#before(from), this.#after(to));
  }

  async lastColumns(count: number, to: number): Promise<Columns<One>> {
    await this.#reachLast(count, to);
    const next = this.#after(to);
    return this.#part(Math.max(0, next - count), next);
  }

  async last(count: number, to: number): Promise<One[]> {
    await this.#reachLast(count, to);
    const next = this.#after(to);
    return this.#rows(Math.max(0, next - count), next);
  }

  async #reachLast(count: number, to: number): Promise<void> {
    const isHere = () => this.#after(to) >= count || this.#from === Number.NEGATIVE_INFINITY;
    if (isHere()) return;
    await this.#reach(async () => {
      if (isHere()) return this.#from;
      const rows = await this.#source.last(count, to);
      return rows.length < count ? Number.NEGATIVE_INFINITY : (rows[0]?.time ?? this.#from);
    });
  }

  /** Returns for how many ms a window that has been read contains the same rows while it moves on with the time. */
  unchangedFor({ from, to }: TimeRange): number {
    const first = from === Number.NEGATIVE_INFINITY ? undefined : this.#times[this.#before(from)];
    const firstLeavesIn = (first ?? Number.POSITIVE_INFINITY) - from + 1;
    const nextEntersIn = (this.#times[this.#after(to)] ?? Number.POSITIVE_INFINITY) - to;
    return Math.min(firstLeavesIn, nextEntersIn);
  }

  /** Returns the results computed from the rows of a window. */
  async derived<Product>({ from, to }: TimeRange, derivation: Derivation<One, Product>): Promise<Product[]> {
    if (from - derivation.lead < this.#from) await this.#reach(async () => from - derivation.lead);
    const window = { from, to, first: this.#before(from), next: this.#after(to) };
    const known = this.#made.get(derivation);
    const made = known?.canReach(window) ? known : new MadeRows(window.first, this.#times.length);
    this.#made.set(derivation, made);
    if (made.next < window.next) {
      const columns = this.#part(0, window.next);
      made.make(window.next, { make: (index) => derivation.make(columns, index), times: this.#times });
    }
    return made.within(window) as unknown[] as Product[];
  }

  #part(first: number, next: number): Columns<One> {
    const columns: Record<string, Float64Array> = { time: this.#times.subarray(first, next) };
    for (const [index, name] of this.#names.entries())
      columns[name] = (this.#columns[index] as Float64Array).subarray(first, next);
    return columns as Columns<One>;
  }

  #rows(first: number, next: number): One[] {
    const rows: One[] = [];
    for (let index = first; index < next; index += 1) rows.push(this.#row(index));
    return rows;
  }

  #row(index: number): One {
    const row: Record<string, unknown> = { ...this.#blank };
    row.time = this.#times[index];
    for (let column = 0; column < this.#names.length; column += 1)
      row[this.#names[column] as string] = this.#columns[column]?.[index];
    return row as unknown as One;
  }

  /** Reads older rows. Calls run one after another, so that two concurrent calls for the same rows read them once. */
  #reach(from: () => Promise<number>): Promise<void> {
    this.#reading = this.#reading.then(async () => {
      const readFrom = await from();
      if (readFrom >= this.#from) return;
      const older = await this.#source.read({ from: Math.max(0, readFrom), to: this.#from - 1 });
      const columns: Readonly<Record<string, Float64Array>> = columnsOf(older, this.#names);
      this.#times = concatenate(columns.time, this.#times);
      this.#columns = this.#names.map((name, index) => concatenate(columns[name], this.#columns[index]));
      this.#from = readFrom;
      this.#made.clear();
    });
    return this.#reading;
  }

  /** Returns how many rows are at or before `time`. */
  #after(time: number): number {
    return countUpTo(this.#times, time);
  }

  /** Returns how many rows are before `time`. */
  #before(time: number): number {
    return countUpTo(this.#times, time - 1);
  }
}

const noValues = new Float64Array();

function concatenate(older: Float64Array = noValues, newer: Float64Array = noValues): Float64Array {
  if (newer.length === 0) return older;
  const all = new Float64Array(older.length + newer.length);
  all.set(older);
  all.set(newer, older.length);
  return all;
}
