import manifest from '../../../package.json' with { type: 'json' };
import { contract, type EndpointAnswer, type EndpointName, type QueryInput } from '../../contract/index.ts';
import { queryKey } from '../../contract/query-key.ts';
import { ApiError, InputError } from '../../runtime/errors.ts';
import { iso, msOf } from '../../runtime/units.ts';
import { markValidUntil } from '../../runtime/valid-until.ts';
import type { ArchiveReader } from '../archive/archive.ts';
import type { FrozenArchive } from '../archive/frozen.ts';
import type { AnswerSource, MarketSource } from '../archive/sources.ts';
import {
  type AskedVenue,
  answerWith,
  type Handler,
  type HandlerContext,
  type ServiceState,
} from '../handlers/handler.ts';
import { handlers } from '../handlers/index.ts';
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
  /** If the archive is frozen and does not change, responses are cached. */
  readonly archive: ArchiveReader & Partial<Pick<FrozenArchive, 'watched'>>;
  /** The time from which each feed has data, market ms. */
  readonly since: ReadonlyMap<AnswerSource, number>;
  readonly source: MarketSource;
  /** The venues of which something may be stored, the primary one first; absent: none. */
  readonly venues?: readonly AskedVenue[];
  /** The symbols that responses are about; absent: all. */
  readonly universe?: readonly string[];
}

interface Question {
  readonly parsed: unknown;
  answer: Promise<unknown> | undefined;
  /** The response is valid from `from` to `validity.until`, market ms, the end excluded. */
  from: number;
  validity: { until: number };
}

const isCanonicalTime = (since: unknown): boolean => {
  const ms = typeof since === 'string' ? msOf(since) : Number.NaN;
  return Number.isFinite(ms) && iso(ms) === since;
};

/**
 * Returns a function that parses each query once and caches the result. Queries with `since` are not cached, because each
 * asks from a new time on; their other parameters are.
 */
function createQuestionCache() {
  const questions = new Map<EndpointName, Map<string, Question>>(names.map((name) => [name, new Map()]));
  return function questionOf(name: EndpointName, query: { readonly since?: unknown }): Question {
    if (isCanonicalTime(query.since)) {
      const { since, ...others } = query;
      const { parsed } = questionOf(name, others);
      return { parsed: { ...(parsed as object), since }, answer: undefined, from: 0, validity: { until: 0 } };
    }
    const key = queryKey(query);
    const known = questions.get(name)?.get(key);
    if (known !== undefined) return known;
    const parsed = parseQuery(name, { ...query });
    const question = { parsed, answer: undefined, from: 0, validity: { until: 0 } };
    if (query.since === undefined) questions.get(name)?.set(key, question);
    return question;
  };
}

/** Creates a past: it uses the handlers of the present with the data of another moment. */
export function pastOf(options: PastOptions): Past {
  const { archive, since, source, symbols, universe = symbols, earliest, latest, close } = options;
  const state: ServiceState = {
    source,
    speed: 1,
    ready: true,
    backfill: 1,
    version: manifest.version,
    sourceOf: () => source,
    ...(options.venues !== undefined && { venues: options.venues }),
  };

  /** The first time of liquidations. Some venues publish none, and a feed that never began must not count as late. */
  const liquidationsSince = since.get('liquidations') ?? Number.POSITIVE_INFINITY;
  const stateWithoutLiquidations: ServiceState = { ...state, unpublished: new Set(['liquidations']) };

  const questionOf = createQuestionCache();

  /** Responds to a query. The response of a steady handler is reused as long as the data that it was made from is the same. */
  const answerCached = (
    name: EndpointName,
    { query, context }: { readonly query: object; readonly context: HandlerContext },
  ): Promise<unknown> => {
    const handler: Handler<EndpointName> = handlers[name];
    const question = questionOf(name, query);
    if (handler.steady !== true || archive.watched === undefined)
      return answerTo(name, { query: question.parsed, context });
    const { now } = context;
    if (question.answer !== undefined && now >= question.from && now < question.validity.until)
      return question.answer;
    const validity = { until: Number.POSITIVE_INFINITY };
    question.from = now;
    question.validity = validity;
    const limitValidity = (time: number) => {
      validity.until = Math.min(validity.until, time);
    };
    const watched = archive.watched((ms) => limitValidity(now + ms));
    const given = {
      query: question.parsed,
      context: { ...context, archive: watched, onValidUntil: limitValidity },
    };
    const answer = markValidUntil(answerTo(name, given), () => validity.until);
    question.answer = answer;
    answer.catch(() => {
      question.answer = undefined;
    });
    return answer;
  };

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
  const missingDataError = (name: EndpointName, now: number): ApiError | undefined => {
    if (now >= (completeSince.get(name) ?? Number.POSITIVE_INFINITY)) return undefined;
    const missing = handlers[name].needs.filter(
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

  const ask = (
    name: EndpointName,
    asked: { readonly query: object; readonly context: HandlerContext },
  ): Promise<unknown> => {
    const error = missingDataError(name, asked.context.now);
    if (error !== undefined) return Promise.reject(error);
    try {
      return answerCached(name, asked);
    } catch (cause) {
      return Promise.reject(asApiError(name, cause));
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
        state: now < liquidationsSince ? stateWithoutLiquidations : state,
      };
      return answers;
    },
    close,
  };
}

async function answerTo(
  name: EndpointName,
  asked: { readonly query: unknown; readonly context: HandlerContext },
): Promise<unknown> {
  try {
    return await answerWith(handlers[name], asked);
  } catch (cause) {
    throw asApiError(name, cause);
  }
}

const asApiError = (name: EndpointName, cause: unknown): unknown =>
  cause instanceof InputError
    ? new ApiError(contract[name].path, 'invalid_request', cause.message, { cause })
    : cause;

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
