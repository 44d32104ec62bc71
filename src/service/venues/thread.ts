import { Worker } from 'node:worker_threads';
import { ApiError } from '../../runtime/errors.ts';
import type { Archive } from '../archive/archive.ts';
import type { OnRowsDropped } from '../exchanges/rows.ts';
import type { ExchangeUrls } from '../exchanges/urls.ts';
import { type Exchanges, streamsOf } from './exchanges.ts';
import { type Venue, type VenueClient, venuesFolder } from './venue.ts';

/** A message to the thread: a call to one of its clients, or the confirmation that a state was stored. */
export type ToThread =
  | {
      readonly type: 'call';
      readonly id: number;
      readonly client: keyof Exchanges;
      readonly method: string;
      readonly args: readonly unknown[];
    }
  | { readonly type: 'kept'; readonly id: number };
/** A message from the thread: the outcome of a call, a state to store, or a note about dropped rows. */
export type FromThread =
  | ({ readonly type: 'outcome'; readonly id: number } & (
      | { readonly value: unknown }
      | { readonly failure: Failure }
    ))
  | { readonly type: 'keep'; readonly id: number; readonly upstream: string; readonly state: unknown }
  | { readonly type: 'odd'; readonly droppedRows: Parameters<OnRowsDropped>[0] };
export interface WorkerData {
  readonly urls: ExchangeUrls;
  /** A venue holds functions, which cannot be passed to a thread: the thread loads the venue by name from this folder. */
  readonly venue: { readonly name: string; readonly folder: string };
  /** The last stored state of each upstream, by the upstream's name. */
  readonly storedStates: Readonly<Record<string, unknown>>;
}
/** Key of the archive's document with the states of the upstreams. */
const memoryKey = 'exchanges';

/** The parts of an ApiError, which cannot be passed between threads as an error object. */
export interface Failure {
  readonly endpoint: string;
  readonly reason: ApiError['reason'];
  readonly message: string;
  readonly field?: string;
  readonly retryAfter?: number;
}

/**
 * Runs the clients in a thread of their own. Parsing and checking responses is most of a backfill's work, and a single
 * response can take a third of a second (measured: V8 keeps every short string of a JSON text in one table, which is
 * copied as it grows). If the thread dies, pending calls fail as unreachable and the next call starts a new thread.
 */
export async function openThreadedExchanges(
  urls: ExchangeUrls,
  {
    venue,
    folder = venuesFolder,
    signal,
    memory = { get: async () => undefined, put: async () => {} },
    onRowsDropped = () => {},
  }: {
    readonly venue: Venue;
    /** The folder that holds the venue's folder. Absent: the project's own folder of venues. */
    readonly folder?: string | undefined;
    readonly signal: AbortSignal;
    /** Stores pauses and used-up limits across restarts. Absent: they are lost when the process ends. */
    readonly memory?: Pick<Archive, 'get' | 'put'>;
    readonly onRowsDropped?: OnRowsDropped;
  },
): Promise<Exchanges> {
  const storedStates = { ...((await memory.get(memoryKey)) as Record<string, unknown> | undefined) };
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  let worker: Worker | undefined;
  let nextCallId = 0;

  function startWorker(): Worker {
    const newWorker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: { urls, venue: { name: venue.name, folder }, storedStates } satisfies WorkerData,
      name: 'exchanges',
    });
    let cause: unknown;
    newWorker.on('message', (message: FromThread) => {
      if (message.type === 'odd') return onRowsDropped(message.droppedRows);
      const { id } = message;
      if (message.type === 'keep') {
        storedStates[message.upstream] = message.state;
        const confirmStored = () => newWorker.postMessage({ type: 'kept', id } satisfies ToThread);
        // A failure to store the state blocks no request: this process still has the state in memory.
        memory.put(memoryKey, storedStates).then(confirmStored, confirmStored);
        return;
      }
      const waiting = pending.get(id);
      pending.delete(id);
      if ('value' in message) waiting?.resolve(message.value);
      else waiting?.reject(errorOf(message.failure));
    });
    newWorker.on('error', (error) => {
      cause = error;
    });
    newWorker.on('exit', () => {
      if (worker === newWorker) worker = undefined;
      for (const { reject } of pending.values()) {
        reject(
          signal.aborted
            ? signal.reason
            : new ApiError('exchanges', 'unreachable', 'their thread died', { cause }),
        );
      }
      pending.clear();
    });
    return newWorker;
  }

  async function call(
    client: keyof Exchanges,
    { method, args }: { readonly method: string; readonly args: readonly unknown[] },
  ): Promise<unknown> {
    signal.throwIfAborted();
    worker ??= startWorker();
    const id = nextCallId++;
    const waiting = Promise.withResolvers<unknown>();
    worker.postMessage({ type: 'call', id, client, method, args } satisfies ToThread);
    pending.set(id, waiting);
    return waiting.promise;
  }

  /**
   * Returns a stand-in for a client that forwards every call to the thread. This works for all clients because their
   * methods take and return plain values.
   */
  const remote = <Name extends keyof Exchanges>(
    client: Name,
    has: (method: string) => boolean = () => true,
  ): NonNullable<Exchanges[Name]> =>
    new Proxy(
      {},
      {
        get: (_, method) =>
          has(String(method))
            ? (...args: unknown[]) => call(client, { method: String(method), args })
            : undefined,
      },
    ) as NonNullable<Exchanges[Name]>;
  const requiredMethods: readonly string[] = ['serverTime', 'listings'] satisfies (keyof VenueClient)[];

  const close = async () => {
    await worker?.terminate();
  };
  signal.addEventListener('abort', close, { once: true });

  return {
    venue,
    markets: remote('markets', (method) => requiredMethods.includes(method) || method in venue.roles),
    streams: streamsOf(venue, urls),
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
