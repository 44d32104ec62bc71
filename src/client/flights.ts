import type { Payer } from './budget.ts';

/** One request under way, as those who wait for it see it. */
export interface Flight {
  /** Everyone who has waited for it. */
  readonly payers: Payer[];
  readonly signal: AbortSignal;
}

interface Shared<Value> extends Flight {
  readonly answer: Promise<Value>;
  readonly controller: AbortController;
  waiting: number;
}

/** Requests for the same thing at the same time are one. It is aborted when the last who waits has gone. */
export class Flights<Value> {
  readonly #shared = new Map<string, Shared<Value>>();

  /** Rejects with the caller's own abort reason at once, whatever the others do. */
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
    const gone = Promise.withResolvers<never>();
    const leave = () => gone.reject(signal?.reason);
    signal?.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([shared.answer, gone.promise]);
    } finally {
      signal?.removeEventListener('abort', leave);
      shared.waiting -= 1;
      if (shared.waiting === 0) {
        if (this.#shared.get(key) === shared) this.#shared.delete(key);
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
      // Started a microtask later: whoever asks in the same turn may pay for it.
      answer: Promise.resolve().then(() => start(flight)),
    });
    this.#shared.set(key, shared);
    const land = () => {
      if (this.#shared.get(key) === shared) this.#shared.delete(key);
    };
    shared.answer.then(land, land);
    return shared;
  }
}
