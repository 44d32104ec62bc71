/**
 * Answers kept until newer data can exist. Times are market ms.
 * A slot begins `lag` after each multiple of the cadence, so that the service has had time to collect.
 */
export interface Cached<Value> {
  readonly value: Value;
  readonly at: number;
}

export const settlingLag = (cadence: number): number => Math.min(15_000, cadence / 10);

/** Whether an answer asked for at `at` is still the newest there can be. `cadence` in ms. */
export const current = (at: number, now: number, cadence: number): boolean => {
  const slot = (time: number) => Math.floor((time - settlingLag(cadence)) / cadence);
  return now >= at && slot(at) === slot(now);
};

/** Least recently used goes first. */
export class AnswerCache<Value> {
  readonly #entries = new Map<string, Cached<Value>>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: string): Cached<Value> | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  set(key: string, value: Value, at: number): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, at });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#capacity) return;
      this.#entries.delete(oldest);
    }
  }
}
