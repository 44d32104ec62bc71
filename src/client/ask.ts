import { createHash } from 'node:crypto';
import { cadenceOf, contract, type Endpoint } from '../contract/index.ts';
import { maxAhead } from '../runtime/clock.ts';
import { ApiError } from '../runtime/errors.ts';
import { asAsked } from './as-asked.ts';
import { AnswerCache, isCurrent } from './cache.ts';
import type { ClientOptions } from './create-client.ts';
import { aheadOfClock, type Bounded, leaveOutAhead, leaveOutRunning } from './data-time.ts';
import { type Flight, Flights } from './flights.ts';
import { createFreshness } from './freshness.ts';
import { read } from './read.ts';
import { neverSent, request } from './request.ts';
import { createRequestBudget, type Payer } from './request-budget.ts';
import { backoff, isLimited, isRetriable } from './retry.ts';
import { createServicePause, isNotReady } from './service-pause.ts';

/** Requests an endpoint. The request counts in the budget of `payer`. @throws ApiError */
export type Ask = (endpoint: Endpoint, inquiry: Inquiry) => Promise<unknown>;

export interface Inquiry {
  readonly query: Record<string, unknown>;
  readonly payer: Payer;
  readonly signal: AbortSignal | undefined;
}

/** What is sent, for all callers that ask the same. */
interface Sent {
  readonly url: URL;
  readonly flight: Flight;
}

/** The most attempts at one request, the first included. */
const maxAttempts = 3;
/** The most responses in the cache. The largest, 30 days of 15-minute rows, is about 800 kB; the usual size is a few kB. */
const maxCachedAnswers = 400;

/**
 * Creates the function that requests endpoints. Callers that ask the same at the same time share one request. Requests
 * keep to the budget, responses are cached, and failed requests are retried if that may help.
 */
export function createAsking(options: ClientOptions) {
  const { baseUrl, apiKey, wall, steady = wall, market, timeouts, random, http, maxBody } = options;
  const sending = { http, wall, timeout: timeouts.attempt, maxBody };
  const base = baseUrl.replace(/\/+$/, '');
  const token = apiKey?.reveal();
  const headers: Record<string, string> = token === undefined ? {} : { 'x-api-key': token };
  const redact = (text: string) => (token === undefined ? text : text.replaceAll(token, '[secret]'));
  const budget = createRequestBudget(budgetKeyOf(base, token), { ...options.budget, market });
  const cache = new AnswerCache<unknown>(maxCachedAnswers);
  const flights = new Flights<unknown>();
  const feeds = createFreshness(market, steady);
  const servicePause = createServicePause(wall, steady, timeouts.patience);

  async function attempt(endpoint: Endpoint, { url, flight }: Sent): Promise<Bounded> {
    requireBelieved(endpoint, options);
    await servicePause.waitOut(endpoint.path, flight.signal);
    const paid = await budget
      .take(endpoint.path, () => flight.payers)
      .catch((error: unknown) => servicePause.rethrow(error, flight.payers));
    let isSent = false;
    const { raw, retryAfter } = await servicePause
      .send(endpoint.path, {
        signal: flight.signal,
        request() {
          isSent = true;
          return request(endpoint.path, { ...sending, url, headers, signal: flight.signal });
        },
      })
      .catch(async (error: unknown) => {
        // A request that never left does not count. Otherwise the budget would be used up when the service is back.
        if (!isSent || neverSent(error)) await paid.giveBack();
        throw error;
      });
    // Nor does one to a service that says it is not ready: its loading would use up the share of whoever asks meanwhile.
    if (isNotReady(raw, retryAfter)) await paid.giveBack();
    const given = read(endpoint, { ...options, raw, retryAfter, redact });
    return boundAnswer(endpoint, { ...options, answer: asAsked(endpoint, url.searchParams, given) });
  }

  async function fetch(endpoint: Endpoint, { url, flight }: Sent): Promise<Bounded> {
    for (let retries = 0; ; retries += 1) {
      try {
        const answer = await attempt(endpoint, { url, flight });
        options.onAnswer?.('answered');
        return answer;
      } catch (error) {
        flight.signal.throwIfAborted();
        if (!(error instanceof ApiError)) throw error;
        options.onAnswer?.(error.reason);
        const wait = error.retryAfter ?? backoff(retries, random);
        if (retries + 1 >= maxAttempts || !isRetriable(error) || wait > timeouts.patience) throw error;
        await wall.sleep(wait, flight.signal);
      }
    }
  }

  const ask: Ask = async (endpoint, { query, payer, signal }) => {
    signal?.throwIfAborted();
    const parsed = endpoint.query.safeParse(query);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const field = issue?.path.join('.') ?? '';
      throw new ApiError(endpoint.path, 'invalid_request', `${field}: ${issue?.message}`, { field });
    }
    const url = new URL(`${base}${endpoint.path}?${canonical(parsed.data)}`);
    const key = url.pathname + url.search;
    const cadence = cadenceOf(endpoint, parsed.data) * 1_000;
    const cached = cache.get(key);
    // The market's time is asked for whenever somebody needs it: an answer of before may be of another speed.
    const isReusable = cached !== undefined && endpoint !== contract.meta;
    if (isReusable && isCurrent(cached.at, { now: market().now(), cadence })) return cached.value;
    try {
      return await flights.join(key, {
        payer,
        signal,
        start: async (flight) => {
          const at = market().now();
          const fetchAnswer = () => fetch(endpoint, { url, flight });
          // A request for one particular venue says nothing about the state of the feed as a whole.
          const { answer } = await (query.venue === undefined
            ? feeds.track(endpoint, fetchAnswer)
            : fetchAnswer());
          cache.set(key, { value: answer, at, until: at + Math.max(cadence, options.budget.window) });
          options.onFetched?.({ endpoint, query: parsed.data, answer, at: market().now() });
          return answer;
        },
      });
    } catch (error) {
      // Over the budget, people get the cached response, whose timestamps show its age. It is at most one window of market
      // time old.
      const limited = error instanceof ApiError && isLimited(error);
      const age = market().now() - (cached?.at ?? Number.NEGATIVE_INFINITY);
      if (limited && payer !== 'poll' && cached !== undefined && age <= options.budget.window)
        return cached.value;
      throw error;
    }
  };

  return {
    ask,
    feeds: feeds.all,
    unresponsiveFor: feeds.unresponsiveFor,
    lastPause: servicePause.last,
    budget: () => budget.state(),
    close: () => flights.abort(new Error('the client is closed')),
  };
}

/** Throws while what the service says is not believed; /meta itself is judged by whoever keeps market time (meta.ts). */
function requireBelieved(endpoint: Endpoint, { doubt }: Pick<ClientOptions, 'doubt'>): void {
  const reason = endpoint === contract.meta ? undefined : doubt?.();
  if (reason !== undefined) throw new ApiError(endpoint.path, 'malformed', reason);
}

/** Returns a response without what lies ahead of market time, and how much that is. @throws ApiError if all of it does, or it is not believed */
async function boundAnswer(
  endpoint: Endpoint,
  {
    answer,
    market,
    doubt,
    renewTime,
    onRefused,
  }: Pick<ClientOptions, 'market' | 'doubt' | 'renewTime' | 'onRefused'> & { readonly answer: unknown },
): Promise<Bounded> {
  requireBelieved(endpoint, { doubt });
  if (endpoint === contract.meta) return { answer, refused: 0 };
  const bound = () => {
    const { now, speed } = market();
    const latest = now() + maxAhead(speed);
    return leaveOutAhead(leaveOutRunning(answer, endpoint, latest), latest);
  };
  let bounded = bound();
  if (bounded.refused > 0 && renewTime !== undefined) {
    await renewTime();
    requireBelieved(endpoint, { doubt });
    bounded = bound();
  }
  if (bounded.refused === 0) return bounded;
  onRefused?.(endpoint.path, bounded.refused);
  const rest = endpoint.answer.safeParse(bounded.answer);
  if (rest.success) return { ...bounded, answer: rest.data };
  throw new ApiError(endpoint.path, 'malformed', `the answer is refused: ${aheadOfClock}`);
}

/** Returns the key of the budget: a hash, from which the API key cannot be read. Equal address and API key share a budget. */
const budgetKeyOf = (base: string, token: string | undefined): string =>
  createHash('sha256')
    .update(JSON.stringify([base, token ?? null]))
    .digest('hex')
    .slice(0, 32);

/** Returns the query with its parameters sorted, so that equal queries give equal text. */
function canonical(query: unknown): URLSearchParams {
  const parameters = Object.entries(query as Record<string, unknown>).filter(
    ([, value]) => value !== undefined,
  );
  return new URLSearchParams(
    parameters
      .map(([name, value]): [string, string] => [name, String(value)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
