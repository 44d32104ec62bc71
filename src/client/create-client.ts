import type { Dispatcher } from 'undici';
import type { DataClient } from '../contract/data-client.ts';
import { contract, type Endpoint, type EndpointName } from '../contract/index.ts';
import type { Clock, MarketClock, WallClock } from '../runtime/clock.ts';
import type { ApiErrorReason } from '../runtime/errors.ts';
import type { Secret } from '../runtime/secret.ts';
import { createAsking } from './ask.ts';
import type { FeedFreshness } from './freshness.ts';
import { createMethods } from './methods.ts';
import type { Asker, Payer, RequestBudgetOptions, RequestBudgetState } from './request-budget.ts';
import type { AskedPause } from './service-pause.ts';

export interface ClientOptions {
  /** Ends in the version segment, e.g. `http://127.0.0.1:4010/api/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: Secret;
  /** The clock of sockets, retries and timeouts. */
  readonly wall: WallClock;
  /** Measures how long the service is left alone, and how long it has not responded. Absent: `wall` is used. */
  readonly steady?: Clock;
  /** The clock of the endpoints' cadences and, where `budget.clock` is absent, of the budget's window. */
  readonly market: () => MarketClock;
  readonly budget: RequestBudgetOptions;
  readonly timeouts: {
    /** The longest that one attempt may take, to the last byte of the response, wall ms. */
    readonly attempt: number;
    /** A Retry-After up to this length is waited out within a call, wall ms; a longer one is an error at once. */
    readonly patience: number;
  };
  /** The largest body of a response, bytes. */
  readonly maxBody: number;
  /** Returns a random number x, 0 ≤ x < 1. */
  readonly random: () => number;
  readonly http: Dispatcher;
  /** Called after every request with `answered` or the reason of the error, for metrics. */
  readonly onAnswer?: ((outcome: 'answered' | ApiErrorReason) => void) | undefined;
  /** Called with the number of rows and parts of a response that were left out because they cannot be, or lie ahead of market time. */
  readonly onRefused?: ((endpoint: string, count: number) => void) | undefined;
  /** Returns why nothing that the service says is believed for now; undefined: it is. Absent: it always is. */
  readonly doubt?: (() => string | undefined) | undefined;
  /** Asks for the market's time anew before data is refused that lies ahead of it. Absent: the time is known (meta.ts). */
  readonly renewTime?: (() => Promise<void>) | undefined;
  /** Called with every new response, whoever requested it. Must not throw. */
  readonly onFetched?: ((fetched: Fetched) => void) | undefined;
}

/** A response of the data service, as received. */
export interface Fetched {
  readonly endpoint: Endpoint;
  /** The query with its defaults filled in. */
  readonly query: unknown;
  readonly answer: unknown;
  /** When the response was received, market ms. */
  readonly at: number;
}

export interface Client {
  /** The client for detectors. Its budget is the limit minus the reserve, however much people ask. */
  readonly polls: DataClient;
  /** Returns a client for people. It has a share of the reserve; if that is used up, it may return a stale response. */
  questions(asker: Asker): DataClient;
  /** Returns the endpoints that were requested so far, sorted by path. */
  feeds(): readonly FeedFreshness[];
  /** Returns ms since the service last responded if it fails to respond, Infinity if it never has; null if it responds. */
  unresponsiveFor(): number | null;
  lastPause(): AskedPause | undefined;
  budget(): RequestBudgetState;
  /** Aborts the requests under way. The HTTP dispatcher stays open; its owner closes it. */
  close(): void;
}

export function createClient(options: ClientOptions): Client {
  const { ask, ...state } = createAsking(options);
  const method = createMethods(ask);
  // DataClient types each method by its name, which TypeScript cannot derive from a loop over all names: hence the cast.
  const clientFor = (payer: Payer) =>
    Object.fromEntries(
      (Object.keys(contract) as EndpointName[]).map((name) => [name, method(name, payer)]),
    ) as unknown as DataClient;
  return { polls: clientFor('poll'), questions: clientFor, ...state };
}
