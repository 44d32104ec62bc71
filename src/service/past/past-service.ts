import manifest from '../../../package.json' with { type: 'json' };
import { contract, type EndpointAnswer, type EndpointName, type QueryInput } from '../../contract/index.ts';
import { queryKey } from '../../contract/query-key.ts';
import { ApiError, InputError } from '../../runtime/errors.ts';
import { iso, msOf } from '../../runtime/units.ts';
import type { ArchiveReader } from '../archive/archive.ts';
import type { AnswerSource, MarketSource } from '../archive/sources.ts';
import {
  type AskedVenue,
  answerWith,
  createFigures,
  type Handler,
  type HandlerContext,
  type ServiceState,
} from '../handlers/handler.ts';
import { feedsNeeded, handlers } from '../handlers/index.ts';
import { parseQuery } from '../http/query.ts';

/** The methods of a past. They have the shape of the bot's client, which the data service does not import. */
type PastAnswers = {
  readonly [Name in EndpointName]: (
    query?: QueryInput<Name>,
    signal?: AbortSignal,
  ) => Promise<EndpointAnswer<Name>>;
};

/** A data service that can be asked about any moment of the past it holds. */
export interface Past {
  /** The times of the first and the last value, market ms. */
  readonly earliest: number;
  readonly latest: number;
  /** The tracked symbols, the largest volume first where volumes are known. */
  readonly symbols: readonly string[];
  /**
   * Returns the endpoints as the service would have responded at market time `now`. If an endpoint needs a feed that had no
   * data by then, its method throws an ApiError: `server_error`, or `not_offered` if the feed has no later data either.
   * Fields that a feed only adds to a response are omitted.
   */
  at(now: number): PastAnswers;
  close(): Promise<void>;
}

interface PastOptions extends Pick<Past, 'earliest' | 'latest' | 'symbols' | 'close'> {
  readonly archive: ArchiveReader;
  /** The time from which each feed has data, market ms. */
  readonly since: ReadonlyMap<AnswerSource, number>;
  readonly source: MarketSource;
  /** The venues of which something may be stored, the primary one first; absent: none. */
  readonly venues?: readonly AskedVenue[];
  /** The symbols that responses are about; absent: all. */
  readonly universe?: readonly string[];
  /** Awaited before each response. */
  readonly pause?: () => Promise<void>;
}

/**
 * Returns a function that parses each query once. Queries with `since` are not kept, because each asks from a new time on; their
 * other parameters are.
 */
function createQueries() {
  const queries = new Map<EndpointName, Map<string, object>>(names.map((name) => [name, new Map()]));
  return function parsed(name: EndpointName, query: { readonly since?: unknown }): object {
    const { since } = query;
    if (since !== undefined) {
      const ms = typeof since === 'string' ? msOf(since) : Number.NaN;
      if (!Number.isFinite(ms) || iso(ms) !== since) return parseQuery(name, { ...query }) as object;
      const { since: _, ...others } = query;
      return { ...parsed(name, others), since };
    }
    const key = queryKey(query);
    const known = queries.get(name)?.get(key) ?? (parseQuery(name, { ...query }) as object);
    queries.get(name)?.set(key, known);
    return known;
  };
}

/** Creates a past: it uses the handlers of the present with the data of another moment. */
export function pastOf(options: PastOptions): Past {
  const { archive, since, source, symbols, universe = symbols, earliest, latest, close, pause } = options;
  const state: ServiceState = {
    source,
    speed: 1,
    ready: true,
    backfill: 1,
    version: manifest.version,
    sourceOf: () => source,
    // Candles hold a placeholder for what takers bought.
    ...(!since.has('takerVolume') && { unpublished: new Set<AnswerSource>(['takerVolume']) }),
    venues: options.venues,
  };

  /** The first time of liquidations. Some venues publish none, and a feed that never began must not count as late. */
  const liquidationsSince = since.get('liquidations') ?? Number.POSITIVE_INFINITY;
  const stateWithoutLiquidations: ServiceState = {
    ...state,
    unpublished: new Set<AnswerSource>(['liquidations', ...(state.unpublished ?? [])]),
  };

  const parsed = createQueries();
  const figures = createFigures();

  /** By endpoint: the time from which all feeds that the endpoint needs have data, market ms. */
  const completeSince = new Map(
    names.map((name) => [
      name,
      Math.max(
        ...handlers[name].needs.map((feed) =>
          feed === 'state' ? Number.NEGATIVE_INFINITY : (since.get(feed) ?? Number.POSITIVE_INFINITY),
        ),
      ),
    ]),
  );
  /** Returns the error if an endpoint lacks data at `now`, with the ms until it has the data; otherwise undefined. */
  const missingDataError = (
    name: EndpointName,
    { query, now }: { readonly query: object; readonly now: number },
  ): ApiError | undefined => {
    const { needsFor }: Handler<EndpointName> = handlers[name];
    if (needsFor === undefined && now >= (completeSince.get(name) ?? Number.POSITIVE_INFINITY))
      return undefined;
    const missing = feedsNeeded(name, query).filter(
      (feed) => feed !== 'state' && (since.get(feed) ?? Number.POSITIVE_INFINITY) > now,
    );
    if (missing.length === 0) return undefined;
    const times = missing.map((feed) => since.get(feed) ?? Number.POSITIVE_INFINITY);
    const known = missing.every((feed) => since.has(feed));
    return new ApiError(
      contract[name].path,
      known ? 'server_error' : 'not_offered',
      `not recorded${known ? ` before ${iso(Math.max(...times))}` : ''}: ${missing.join(', ')}`,
      { ...(known && { retryAfter: Math.max(...times) - now }) },
    );
  };

  const ask = async (
    name: EndpointName,
    { query, context }: { readonly query: object; readonly context: HandlerContext },
  ): Promise<unknown> => {
    try {
      const asked = parsed(name, query);
      const error = missingDataError(name, { query: asked, now: context.now });
      if (error !== undefined) throw error;
      await pause?.();
      return await answerWith(handlers[name], { query: asked, context });
    } catch (cause) {
      throw cause instanceof InputError
        ? new ApiError(contract[name].path, 'invalid_request', cause.message, { cause })
        : cause;
    }
  };

  const methods = methodsOf(ask);
  return {
    earliest,
    latest,
    symbols,
    at(now) {
      const answers = Object.create(methods) as PastAnswers & Moment;
      answers[moment] = {
        archive,
        now,
        universe,
        tracked: symbols,
        feeds: async () => [],
        figures,
        state: now < liquidationsSince ? stateWithoutLiquidations : state,
      };
      return answers;
    },
    close,
  };
}

const moment = Symbol('the moment asked about');
interface Moment {
  [moment]: HandlerContext;
}

/**
 * Creates an object with a method for each endpoint. A method is created only when used, because a replay asks about a
 * hundred thousand moments and uses few methods of each.
 */
function methodsOf(
  ask: (
    name: EndpointName,
    asked: { readonly query: object; readonly context: HandlerContext },
  ) => Promise<unknown>,
): object {
  const methodOf = (name: EndpointName) => ({
    get(this: Moment) {
      const context = this[moment];
      return (query: object = {}, signal?: AbortSignal) => {
        signal?.throwIfAborted();
        return ask(name, { query, context });
      };
    },
  });
  return Object.defineProperties({}, Object.fromEntries(names.map((name) => [name, methodOf(name)])));
}

const names = Object.keys(contract) as EndpointName[];
