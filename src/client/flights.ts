import type { Payer } from './request-budget.ts';

/** One request under way, as its callers see it. */
export interface Flight {
  /** The payers of all callers that have waited for the request. */
  readonly payers: Payer[];
  readonly signal: AbortSignal;
}

interface Shared<Value> extends Flight {
  readonly answer: Promise<Value>;
  readonly controller: AbortController;
  waiting: number;
}

/** Merges concurrent requests with the same key into one. The request is aborted when its last caller has left. */
export class Flights<Value> {
  readonly #shared = new Map<string, Shared<Value>>();

  /**
   * Waits for the request with this key, and starts it if none is under way. Rejects with the caller's abort reason as soon
   * as the caller aborts, even if the request goes on for others.
   */
  async join(
    key: string,
    {
      payer,
      signal,
      start,
    }: {
      readonly payer: Payer;
      readonly signal: AbortSignal | undefined;
      readonly start: (flight: Flight) => Promise<Value>;
    },
  ): Promise<Value> {
    signal?.throwIfAborted();
    const shared = this.#shared.get(key) ?? this.#launch(key, start);
    shared.payers.push(payer);
    shared.waiting += 1;
    const aborted = Promise.withResolvers<never>();
    const onAbort = () => aborted.reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([shared.answer, aborted.promise]);
    } finally {
      signal?.removeEventListener('abort', onAbort);
      shared.waiting -= 1;
      // A flight that has ended is no longer among the shared ones, and there is nothing to abort.
      if (shared.waiting === 0 && this.#shared.get(key) === shared) {
        this.#shared.delete(key);
        shared.controller.abort(signal?.reason);
      }
    }
  }

  abort(reason: Error): void {
    for (const { controller } of this.#shared.values()) controller.abort(reason);
  }

  #launch(key: string, start: (flight: Flight) => Promise<Value>): Shared<Value> {
    const controller = new AbortController();
    const flight: Flight = { payers: [], signal: controller.signal };
    const shared: Shared<Value> = Object.assign(flight, {
      controller,
      waiting: 0,
      // The start is delayed by a microtask, so that all callers of the same turn of the event loop are among the payers.
      answer: Promise.resolve().then(() => start(flight)),
    });
    this.#shared.set(key, shared);
    const removeFlight = () => {
      if (this.#shared.get(key) === shared) this.#shared.delete(key);
    };
    shared.answer.then(removeFlight, removeFlight);
    return shared;
  }
}
