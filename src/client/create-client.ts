import type { Dispatcher } from 'undici';
import type { DataClient } from '../contract/data-client.ts';
import { contract, type Endpoint, type EndpointName } from '../contract/index.ts';
import type { Clock, MarketClock, WallClock } from '../runtime/clock.ts';
import type { ApiErrorReason } from '../runtime/errors.ts';
import type { Secret } from '../runtime/secret.ts';
import type { Tracer } from '../runtime/tracer.ts';
import type { Asking } from '../runtime/true-time.ts';
import { createAsking } from './ask.ts';
import type { Asker, BudgetOptions, BudgetState, Payer } from './budget.ts';
import type { FeedFreshness } from './feeds.ts';
import { createMethods } from './methods.ts';

export interface ClientOptions {
  /** Ends in the version segment, e.g. `http://127.0.0.1:4010/api/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: Secret;
  /** Sockets, retries and timeouts live by it. */
  readonly wall: WallClock;
  /** By it is told how long the service is spared; left out: the wall's. */
  readonly steady?: Clock;
  /** The budget's window and the cadence live by it. */
  readonly market: () => MarketClock;
  readonly budget: BudgetOptions;
  readonly timeouts: {
    /** One attempt, to its last byte, wall ms. */
    readonly attempt: number;
    /** A Retry-After up to this is waited for inside a call, wall ms; a longer one is an error at once. */
    readonly patience: number;
  };
  /** Bytes of one answer. */
  readonly maxBody: number;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly http: Dispatcher;
  /** Its clock is heard. */
  readonly asking?: Asking;
  /** Left out: nothing is traced. */
  readonly tracer?: Tracer | undefined;
  /** Told of every request, for metrics: `answered`, or why not. */
  readonly onAnswer?: ((outcome: 'answered' | ApiErrorReason) => void) | undefined;
  /** Told of every new answer, whoever asked: what one has fetched, all may look at. Must not throw. */
  readonly onFetched?: ((fetched: Fetched) => void) | undefined;
}

/** An answer of the data service as it came in. */
export interface Fetched {
  readonly endpoint: Endpoint;
  /** With its defaults. */
  readonly query: unknown;
  readonly answer: unknown;
  /** Market ms at which it was there. */
  readonly at: number;
}

export interface Client {
  /** For detectors: has all but the reserve, whatever people ask. */
  readonly polls: DataClient;
  /** For people: has a share of the reserve, and gets a stale answer rather than none when that is out. */
  questions(asker: Asker): DataClient;
  /** Endpoints asked so far, by path. */
  feeds(): readonly FeedFreshness[];
  /** Where the service does not answer: wall ms since it last did, Infinity where it never has. Null where it does. */
  lost(): number | null;
  budget(): BudgetState;
  /** Aborts what is under way. The dispatcher stays its owner's. */
  close(): void;
}

export function createClient(options: ClientOptions): Client {
  const { ask, ...state } = createAsking(options);
  const method = createMethods(ask);
  // The types of DataClient hold per name what a loop over all of them cannot say.
  const clientFor = (payer: Payer) =>
    Object.fromEntries(
      (Object.keys(contract) as EndpointName[]).map((name) => [name, method(name, payer)]),
    ) as unknown as DataClient;
  return { polls: clientFor('poll'), questions: clientFor, ...state };
}
