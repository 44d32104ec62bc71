import { createHash } from 'node:crypto';
import type { Dispatcher } from 'undici';
import type { DataClient } from '../contract/data-client.ts';
import {
  contract,
  type Endpoint,
  type EndpointAnswer,
  type EndpointName,
  type QueryInput,
} from '../contract/index.ts';
import type { Clock, MarketClock, WallClock } from '../runtime/clock.ts';
import { ApiError } from '../runtime/errors.ts';
import type { Secret } from '../runtime/secret.ts';
import type { Asking } from '../runtime/true-time.ts';
import { type Asker, type BudgetOptions, type BudgetState, createBudget, type Payer } from './budget.ts';
import { AnswerCache, current } from './cache.ts';
import { createContact } from './contact.ts';
import { dataTime } from './data-time.ts';
import { type Flight, Flights } from './flights.ts';
import { read } from './read.ts';
import { request } from './request.ts';
import { backoff, isLimited, retriable } from './retry.ts';
import { createSparing } from './sparing.ts';

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
}

/** What is known of one endpoint. Times are market ms. */
export interface FeedFreshness {
  readonly endpoint: string;
  readonly lastSuccess?: number;
  /** Of the newest value in the last answer. */
  readonly dataTime?: number;
  /** The last failure, where nothing has succeeded since. */
  readonly problem?: { readonly at: number; readonly reason: ApiError['reason']; readonly message: string };
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

/** Attempts at one question, the first included. */
const attempts = 3;
/** Answers kept. The largest, 30 days of 15-minute rows, is about 800 kB; the usual one a few. */
const capacity = 400;
/** The interface gives no bound for the limit of /funding/extremes; every service takes its default. */
const extremesDefault = 30;

export function createClient(options: ClientOptions): Client {
  const { baseUrl, apiKey, wall, steady = wall, market, timeouts, random } = options;
  const base = baseUrl.replace(/\/+$/, '');
  const token = apiKey?.reveal();
  const headers: Record<string, string> = token === undefined ? {} : { 'x-api-key': token };
  const redact = (text: string) => (token === undefined ? text : text.replaceAll(token, '[secret]'));
  const credential = createHash('sha256')
    .update(JSON.stringify([base, token ?? null]))
    .digest('hex')
    .slice(0, 32);
  const budget = createBudget(credential, options.budget, market);
  const cache = new AnswerCache<unknown>(capacity);
  const flights = new Flights<unknown>();
  const feeds = new Map<string, FeedFreshness>();
  const contact = createContact(steady);
  const sparing = createSparing({ wall, steady, patience: timeouts.patience });
  let extremesLimit = Number.POSITIVE_INFINITY;
  /** What the service last said it offers beyond the interface. */
  let extensions: ReadonlySet<string> | undefined;

  async function attempt(endpoint: Endpoint, url: URL, flight: Flight): Promise<unknown> {
    await sparing.over(endpoint.path, flight.signal);
    await budget.take(endpoint.path, () => flight.payers);
    const raw = await request(endpoint.path, url, headers, flight.signal, {
      http: options.http,
      wall,
      timeout: timeouts.attempt,
      maxBody: options.maxBody,
      asking: options.asking,
    });
    const retryAfter = sparing.answered(raw);
    return read(endpoint, raw, { retryAfter, redact });
  }

  async function fetch(endpoint: Endpoint, url: URL, flight: Flight): Promise<unknown> {
    for (let tried = 0; ; tried += 1) {
      try {
        return await attempt(endpoint, url, flight);
      } catch (error) {
        flight.signal.throwIfAborted();
        if (!(error instanceof ApiError)) throw error;
        const wait = error.retryAfter ?? backoff(tried, random);
        if (tried + 1 >= attempts || !retriable(error) || wait > timeouts.patience) throw error;
        await wall.sleep(wait, flight.signal);
      }
    }
  }

  async function ask(
    endpoint: Endpoint,
    query: Record<string, unknown>,
    payer: Payer,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    signal?.throwIfAborted();
    const checked = endpoint.query.safeParse(query);
    if (!checked.success) {
      const [issue] = checked.error.issues;
      const field = issue?.path.join('.') ?? '';
      throw new ApiError(endpoint.path, 'invalid_request', `${field}: ${issue?.message}`, { field });
    }
    const url = new URL(`${base}${endpoint.path}?${canonical(checked.data)}`);
    const key = url.pathname + url.search;
    const cadence = endpoint.cadence * 1_000;
    const kept = cache.get(key);
    if (kept !== undefined && current(kept.at, market().now(), cadence)) return kept.value;
    try {
      return await flights.join(key, payer, signal, async (flight) => {
        const at = market().now();
        const answer = await watched(endpoint, () => fetch(endpoint, url, flight));
        cache.set(key, answer, { at, until: at + Math.max(cadence, options.budget.window) });
        return answer;
      });
    } catch (error) {
      // Its own timestamps say how old it is. No older than the window, by which time the budget is back.
      const limited = error instanceof ApiError && isLimited(error);
      const age = market().now() - (kept?.at ?? Number.NEGATIVE_INFINITY);
      if (limited && payer !== 'poll' && kept !== undefined && age <= options.budget.window)
        return kept.value;
      throw error;
    }
  }

  async function watched(endpoint: Endpoint, attempted: () => Promise<unknown>): Promise<unknown> {
    const { path } = endpoint;
    try {
      const answer = await attempted();
      contact.answered();
      const newest = dataTime(answer);
      feeds.set(path, {
        endpoint: path,
        lastSuccess: market().now(),
        ...(newest === undefined ? {} : { dataTime: newest }),
      });
      return answer;
    } catch (error) {
      // A wrong question, or one too many, says nothing about the feed.
      const own = error instanceof ApiError && ['invalid_request', 'share_spent'].includes(error.reason);
      if (error instanceof ApiError && !own) {
        const problem = { at: market().now(), reason: error.reason, message: error.message };
        feeds.set(path, { endpoint: path, ...feeds.get(path), problem });
        // Who says when to come again is there: it is starting, say.
        if (error.retryAfter === undefined) contact.failed(path, error.reason);
      }
      throw error;
    }
  }

  async function meta(
    query: Record<string, unknown>,
    payer: Payer,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    try {
      const answer = (await ask(contract.meta, query, payer, signal)) as EndpointAnswer<'meta'>;
      extensions = new Set(answer.extensions);
      return answer;
    } catch (error) {
      if (error instanceof ApiError && error.reason === 'not_offered') extensions = new Set();
      throw error;
    }
  }

  /** An extension is asked for only where the service says that it has it: a request for less would be wasted. */
  async function extension(
    name: EndpointName,
    query: Record<string, unknown>,
    payer: Payer,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    if (extensions === undefined) {
      await meta({}, payer, signal).catch((error: unknown) => {
        if (!(error instanceof ApiError && error.reason === 'not_offered')) throw error;
      });
    }
    if (extensions?.has(name) !== true)
      throw new ApiError(contract[name].path, 'not_offered', 'this service does not offer it');
    return ask(contract[name], query, payer, signal);
  }

  async function fundingExtremes(
    query: QueryInput<'fundingExtremes'>,
    payer: Payer,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const wanted = Number(query.limit ?? extremesDefault);
    const take = (limit: number) => ask(contract.fundingExtremes, { ...query, limit }, payer, signal);
    if (wanted > extremesLimit) return take(extremesLimit);
    try {
      return await take(wanted);
    } catch (error) {
      const refused =
        error instanceof ApiError && error.reason === 'invalid_request' && error.field === undefined;
      if (!refused || wanted <= extremesDefault) throw error;
      const answer = await take(extremesDefault);
      extremesLimit = extremesDefault;
      return answer;
    }
  }

  function method(name: EndpointName, payer: Payer) {
    const endpoint = contract[name];
    return (query: Record<string, unknown> = {}, signal?: AbortSignal): Promise<unknown> => {
      if (name === 'fundingExtremes') return fundingExtremes(query, payer, signal);
      if (name === 'meta') return meta(query, payer, signal);
      if ('extension' in endpoint && endpoint.extension === true)
        return extension(name, query, payer, signal);
      return ask(endpoint, query, payer, signal);
    };
  }

  // The types of DataClient hold per name what a loop over all of them cannot say.
  const clientFor = (payer: Payer) =>
    Object.fromEntries(
      (Object.keys(contract) as EndpointName[]).map((name) => [name, method(name, payer)]),
    ) as unknown as DataClient;

  return {
    polls: clientFor('poll'),
    questions: clientFor,
    lost: contact.lost,
    feeds: () => [...feeds.values()].sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1)),
    budget: () => budget.state(),
    close: () => flights.abort(new Error('the client is closed')),
  };
}

/** The same question gives the same text, whatever the order of its parameters. */
function canonical(query: unknown): URLSearchParams {
  const given = Object.entries(query as Record<string, unknown>).filter(([, value]) => value !== undefined);
  return new URLSearchParams(
    given
      .map(([name, value]): [string, string] => [name, String(value)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
