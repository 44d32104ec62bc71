import { Worker } from 'node:worker_threads';
import { ApiError } from '../../runtime/errors.ts';
import type { Exchanges } from './exchanges.ts';
import { liquidationStream } from './exchanges.ts';
import type { ExchangeUrls } from './urls.ts';

/** One call to a client of the thread, and what became of it. */
export interface Call {
  readonly id: number;
  readonly client: keyof Exchanges;
  readonly method: string;
  readonly args: readonly unknown[];
}
export type Outcome = { readonly id: number } & ({ readonly value: unknown } | { readonly failure: Failure });
/** An ApiError's parts, which do not survive the way as an error. */
export interface Failure {
  readonly endpoint: string;
  readonly reason: ApiError['reason'];
  readonly message: string;
  readonly field?: string;
  readonly retryAfter?: number;
}

/**
 * The clients in a thread of their own: reading and checking a backfill's answers is most of its work, and single
 * ones take a third of a second (measured: V8 keeps every short string of a JSON text in one table, which is copied
 * as it grows). A thread that dies is an unreachable upstream, and started again with the next call.
 */
export function openThreadedExchanges(urls: ExchangeUrls, signal: AbortSignal): Exchanges {
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  let worker: Worker | undefined;
  let calls = 0;

  function start(): Worker {
    const started = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: urls,
      name: 'exchanges',
    });
    let cause: unknown;
    started.on('message', ({ id, ...outcome }: Outcome) => {
      const waiting = pending.get(id);
      pending.delete(id);
      if ('value' in outcome) waiting?.resolve(outcome.value);
      else waiting?.reject(errorOf(outcome.failure));
    });
    started.on('error', (error) => {
      cause = error;
    });
    started.on('exit', () => {
      if (worker === started) worker = undefined;
      for (const { reject } of pending.values()) {
        reject(
          signal.aborted
            ? signal.reason
            : new ApiError('exchanges', 'unreachable', 'their thread died', { cause }),
        );
      }
      pending.clear();
    });
    return started;
  }

  async function call(client: keyof Exchanges, method: string, args: readonly unknown[]): Promise<unknown> {
    signal.throwIfAborted();
    worker ??= start();
    const id = calls++;
    const waiting = Promise.withResolvers<unknown>();
    worker.postMessage({ id, client, method, args } satisfies Call);
    pending.set(id, waiting);
    return waiting.promise;
  }

  /** Every method of a client takes and gives plain values, so that all go the same way. */
  const remote = <Name extends keyof Exchanges>(client: Name): NonNullable<Exchanges[Name]> =>
    new Proxy(
      {},
      {
        get:
          (_, method) =>
          (...args: unknown[]) =>
            call(client, String(method), args),
      },
    ) as NonNullable<Exchanges[Name]>;

  const close = async () => {
    await worker?.terminate();
  };
  signal.addEventListener('abort', close, { once: true });

  return {
    binance: remote('binance'),
    liquidationStream: liquidationStream(urls),
    deribit: remote('deribit'),
    fearGreed: remote('fearGreed'),
    stablecoins: remote('stablecoins'),
    tape: urls.tape === undefined ? undefined : remote('tape'),
    close,
  };
}

function errorOf({ endpoint, reason, message, field, retryAfter }: Failure): ApiError {
  return new ApiError(endpoint, reason, message.replace(`${endpoint}: `, ''), {
    ...(field === undefined ? {} : { field }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}
