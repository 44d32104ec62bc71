/**
 * Answers kept until newer data can exist. Times are market ms.
 * A slot begins `lag` after each multiple of the cadence, so that the service has had time to collect.
 */
export interface Cached<Value> {
  readonly value: Value;
  readonly at: number;
}

export const settlingLag = (cadence: number): number => Math.min(15_000, cadence / 10);

/** Between two slots there can be newer data. `cadence` in ms. */
export const slotOf = (time: number, cadence: number): number =>
  Math.floor((time - settlingLag(cadence)) / cadence);

/** Whether an answer asked for at `at` is still the newest there can be. `cadence` in ms. */
export const current = (
  at: number,
  { now, cadence }: { readonly now: number; readonly cadence: number },
): boolean => now >= at && slotOf(at, cadence) === slotOf(now, cadence);

/** Entries among which it is not worth looking for those of no more use. */
const few = 32;

/** What is of no more use goes, so that never more than twice of what is is kept; then the least recently used. */
export class AnswerCache<Value> {
  readonly #entries = new Map<string, Cached<Value> & { readonly until: number }>();
  readonly #capacity: number;
  #crowd = few;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Cached<Value> | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  /** @param until market ms after which nobody can use it any more */
  set(
    key: string,
    { value, at, until }: { readonly value: Value; readonly at: number; readonly until: number },
  ): void {
    // Most are asked once, from a time on that never comes again: kept to capacity, they are a hundred megabytes.
    if (this.#entries.size >= this.#crowd) {
      for (const [each, entry] of this.#entries) if (entry.until < at) this.#entries.delete(each);
      this.#crowd = Math.max(few, 2 * this.#entries.size);
    }
    this.#entries.delete(key);
    this.#entries.set(key, { value, at, until });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#capacity) return;
      this.#entries.delete(oldest);
    }
  }
}
