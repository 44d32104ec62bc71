import { createHash } from 'node:crypto';
import type { Endpoint } from '../contract/index.ts';
import { ApiError } from '../runtime/errors.ts';
import { untraced } from '../runtime/tracer.ts';
import { createBudget, type Payer } from './budget.ts';
import { AnswerCache, current } from './cache.ts';
import { createContact } from './contact.ts';
import type { ClientOptions } from './create-client.ts';
import { createFeeds } from './feeds.ts';
import { type Flight, Flights } from './flights.ts';
import { read } from './read.ts';
import { neverSent, request } from './request.ts';
import { backoff, isLimited, retriable } from './retry.ts';
import { createSparing } from './sparing.ts';

/** Requests an endpoint. The request counts in the budget of `payer`. @throws ApiError */
export type Ask = (endpoint: Endpoint, asked: Inquiry) => Promise<unknown>;

export interface Inquiry {
  readonly query: Record<string, unknown>;
  readonly payer: Payer;
  readonly signal: AbortSignal | undefined;
}

/** The most attempts at one request, the first included. */
const attempts = 3;
/** The most responses in the cache. The largest, 30 days of 15-minute rows, is about 800 kB; the usual size is a few kB. */
const capacity = 400;

/**
 * Creates the function that requests endpoints. Callers that ask the same at the same time share one request. Requests
 * keep to the budget, responses are cached, and failed requests are retried if that may help.
 */
export function createAsking(options: ClientOptions) {
  const { baseUrl, apiKey, wall, steady = wall, market, timeouts, random } = options;
  const { tracer = untraced } = options;
  const base = baseUrl.replace(/\/+$/, '');
  const token = apiKey?.reveal();
  const headers: Record<string, string> = token === undefined ? {} : { 'x-api-key': token };
  const redact = (text: string) => (token === undefined ? text : text.replaceAll(token, '[secret]'));
  const budget = createBudget(credentialOf(base, token), { ...options.budget, market });
  const cache = new AnswerCache<unknown>(capacity);
  const flights = new Flights<unknown>();
  const contact = createContact(steady);
  const feeds = createFeeds(market, contact);
  const sparing = createSparing({ wall, steady, patience: timeouts.patience });

  async function attempt(
    endpoint: Endpoint,
    { url, flight }: { readonly url: URL; readonly flight: Flight },
  ): Promise<unknown> {
    await sparing.over(endpoint.path, flight.signal);
    const paid = await budget.take(endpoint.path, () => flight.payers);
    const attributes = {
      'http.request.method': 'GET',
      'url.template': endpoint.path,
      'url.query': url.search,
    };
    const raw = await tracer
      .span({ name: `GET ${endpoint.path}`, asks: true, attributes }, async (span) => {
        const traceparent = tracer.traceparent();
        const answer = await request(endpoint.path, {
          url,
          headers: traceparent === undefined ? headers : { ...headers, traceparent },
          signal: flight.signal,
          http: options.http,
          wall,
          timeout: timeouts.attempt,
          maxBody: options.maxBody,
          asking: options.asking,
        });
        span.set({ 'http.response.status_code': answer.status });
        return answer;
      })
      .catch(async (error: unknown) => {
        // A request that never left does not count. Otherwise the budget would be used up when the service is back.
        if (neverSent(error)) await paid.giveBack();
        throw error;
      });
    const retryAfter = sparing.answered(raw);
    return read(endpoint, { raw, retryAfter, redact });
  }

  async function fetch(
    endpoint: Endpoint,
    { url, flight }: { readonly url: URL; readonly flight: Flight },
  ): Promise<unknown> {
    for (let tried = 0; ; tried += 1) {
      try {
        const answer = await attempt(endpoint, { url, flight });
        options.onAnswer?.('answered');
        return answer;
      } catch (error) {
        flight.signal.throwIfAborted();
        if (!(error instanceof ApiError)) throw error;
        options.onAnswer?.(error.reason);
        const wait = error.retryAfter ?? backoff(tried, random);
        if (tried + 1 >= attempts || !retriable(error) || wait > timeouts.patience) throw error;
        await wall.sleep(wait, flight.signal);
      }
    }
  }

  const ask: Ask = async (endpoint, { query, payer, signal }) => {
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
    if (kept !== undefined && current(kept.at, { now: market().now(), cadence })) return kept.value;
    try {
      return await flights.join(key, {
        payer,
        signal,
        start: async (flight) => {
          const at = market().now();
          const attempted = () => fetch(endpoint, { url, flight });
          // A request for one particular venue says nothing about the state of the feed as a whole.
          const answer = await (query.venue === undefined ? feeds.watched(endpoint, attempted) : attempted());
          cache.set(key, { value: answer, at, until: at + Math.max(cadence, options.budget.window) });
          options.onFetched?.({ endpoint, query: checked.data, answer, at: market().now() });
          return answer;
        },
      });
    } catch (error) {
      // Over the budget, people get the cached response, whose timestamps show its age. It is at most one window old:
      // by then the budget allows requests again.
      const limited = error instanceof ApiError && isLimited(error);
      const age = market().now() - (kept?.at ?? Number.NEGATIVE_INFINITY);
      if (limited && payer !== 'poll' && kept !== undefined && age <= options.budget.window)
        return kept.value;
      throw error;
    }
  };

  return {
    ask,
    feeds: feeds.all,
    lost: contact.lost,
    budget: () => budget.state(),
    close: () => flights.abort(new Error('the client is closed')),
  };
}

/** Returns the key of the budget: a hash, from which the API key cannot be read. Equal address and API key share a budget. */
const credentialOf = (base: string, token: string | undefined): string =>
  createHash('sha256')
    .update(JSON.stringify([base, token ?? null]))
    .digest('hex')
    .slice(0, 32);

/** Returns the query with its parameters sorted, so that equal queries give equal text. */
function canonical(query: unknown): URLSearchParams {
  const given = Object.entries(query as Record<string, unknown>).filter(([, value]) => value !== undefined);
  return new URLSearchParams(
    given
      .map(([name, value]): [string, string] => [name, String(value)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
