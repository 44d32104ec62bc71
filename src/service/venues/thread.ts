import { ApiError } from '../../runtime/errors.ts';
import { createThread, ThreadEnded } from '../../runtime/thread.ts';
import type { Archive } from '../archive/archive.ts';
import type { OnRowsDropped } from '../exchanges/rows.ts';
import type { ExchangeUrls } from '../exchanges/urls.ts';
import { type Exchanges, streamsOf } from './open-exchanges.ts';
import { type Venue, type VenueClient, venuesFolder } from './venue.ts';
import type { ThreadedExchanges } from './worker.ts';

/** What the thread may call. */
export interface ExchangesParent {
  keep(upstream: string, state: unknown): Promise<void>;
  readonly onRowsDropped: OnRowsDropped;
}

export interface WorkerData {
  readonly urls: ExchangeUrls;
  /** A venue holds functions, which cannot be passed to a thread: the thread loads the venue by name from this folder. */
  readonly venue: { readonly name: string; readonly folder: string };
  /** The last stored state of each upstream, by the upstream's name. */
  readonly storedStates: Readonly<Record<string, unknown>>;
}
/** Key of the archive's document with the states of the upstreams. */
const memoryKey = 'exchanges';

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
  const thread = createThread<ThreadedExchanges>(new URL('./worker.ts', import.meta.url), {
    options: () => ({
      workerData: { urls, venue: { name: venue.name, folder }, storedStates } satisfies WorkerData,
      name: 'exchanges',
    }),
    offered: {
      async keep(upstream, state) {
        storedStates[upstream] = state;
        // A failure to store the state blocks no request: this process still has the state in memory.
        await memory.put(memoryKey, storedStates).catch(() => {});
      },
      onRowsDropped,
    } satisfies ExchangesParent,
  });

  async function call(client: keyof Exchanges, method: string, args: readonly unknown[]): Promise<unknown> {
    signal.throwIfAborted();
    try {
      return await thread.remote.call(client, method, args);
    } catch (error) {
      throw error instanceof ThreadEnded
        ? new ApiError('exchanges', 'unreachable', 'their thread died', { cause: error })
        : error;
    }
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
          has(String(method)) ? (...args: unknown[]) => call(client, String(method), args) : undefined,
      },
    ) as NonNullable<Exchanges[Name]>;
  const requiredMethods: readonly string[] = ['serverTime', 'listings'] satisfies (keyof VenueClient)[];

  signal.addEventListener('abort', () => thread.end(signal.reason), { once: true });

  return {
    venue,
    markets: remote('markets', (method) => requiredMethods.includes(method) || method in venue.roles),
    streams: streamsOf(venue, urls),
    deribit: remote('deribit', (method) => method !== 'past'),
    fearGreed: remote('fearGreed'),
    stablecoins: remote('stablecoins'),
    close: () => thread.end(new ApiError('exchanges', 'unreachable', 'they are closed')),
  };
}
