/**
 * A cached response. Responses are kept until newer data can exist; `at` is the market time of the request, ms.
 * Newer data can exist in each slot. A slot begins `settlingLag` after each multiple of the cadence, so that the service
 * has had time to collect the data.
 */
interface Cached<Value> {
  readonly value: Value;
  readonly at: number;
}

export const settlingLag = (cadence: number): number => Math.min(15_000, cadence / 10);

/** Returns the number of the slot that `time` (market ms) is in. Newer data can exist in a later slot. `cadence` in ms. */
export const slotOf = (time: number, cadence: number): number =>
  Math.floor((time - settlingLag(cadence)) / cadence);

/** Returns whether a response requested at `at` is still the newest there can be. `cadence` in ms. */
export const isCurrent = (
  at: number,
  { now, cadence }: { readonly now: number; readonly cadence: number },
): boolean => now >= at && slotOf(at, cadence) === slotOf(now, cadence);

/** A cache of responses. Expired entries are removed, and above the capacity the least recently used ones. */
export class AnswerCache<Value> {
  readonly #entries = new Map<string, Cached<Value> & { readonly until: number }>();
  readonly #capacity: number;

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

  /** @param until market ms after which the entry is of no use to anyone */
  set(
    key: string,
    { value, at, until }: { readonly value: Value; readonly at: number; readonly until: number },
  ): void {
    // Most queries name a start time and are never repeated. If all were kept up to the capacity, they would take 100 MB.
    for (const [each, entry] of this.#entries) if (entry.until < at) this.#entries.delete(each);
    this.#entries.delete(key);
    this.#entries.set(key, { value, at, until });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#capacity) return;
      this.#entries.delete(oldest);
    }
  }
}
