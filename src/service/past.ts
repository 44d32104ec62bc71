import manifest from '../../package.json' with { type: 'json' };
import { contract, type EndpointAnswer, type EndpointName, type QueryInput } from '../contract/index.ts';
import { ApiError, InputError } from '../runtime/errors.ts';
import { iso } from '../runtime/units.ts';
import type { ArchiveReader } from './archive/archive.ts';
import type { FrozenArchive } from './archive/frozen.ts';
import {
  type AnswerSource,
  answerWith,
  type Handler,
  type HandlerContext,
  lastly,
  type MarketSource,
  type ServiceState,
} from './handlers/handler.ts';
import { handlers } from './handlers/index.ts';
import { parseQuery } from './http/query.ts';

/** The shape of the bot's client, which this side of the contract does not import. */
export type PastAnswers = {
  readonly [Name in EndpointName]: (
    query?: QueryInput<Name>,
    signal?: AbortSignal,
  ) => Promise<EndpointAnswer<Name>>;
};

/** A data service that can be asked about any moment of the past it holds. */
export interface Past {
  /** Market ms: the first value held and the last. */
  readonly earliest: number;
  readonly latest: number;
  /** The largest volume first, where that is known. */
  readonly symbols: readonly string[];
  /**
   * What the service would have answered at market time `now`. An endpoint that needs a feed of which nothing was
   * known by then is ApiError `server_error`, `not_offered` where there is none later either; what a feed merely adds
   * is omitted.
   */
  at(now: number): PastAnswers;
  close(): Promise<void>;
}

export interface PastOptions extends Pick<Past, 'earliest' | 'latest' | 'symbols' | 'close'> {
  readonly archive: ArchiveReader;
  /** Market ms from which on something of each feed is known. */
  readonly since: ReadonlyMap<AnswerSource, number>;
  readonly source: MarketSource;
  /** Answers are about these alone; all where it is left out. */
  readonly only?: readonly string[];
  /** As of a FrozenArchive; absent where the archive may change. */
  readonly passed?: FrozenArchive['passed'];
}

/** The handlers of the present, asked about another moment. */
export function pastOf(options: PastOptions): Past {
  const {
    archive,
    since,
    source,
    passed,
    symbols,
    only: universe = symbols,
    earliest,
    latest,
    close,
  } = options;
  const state: ServiceState = {
    source,
    speed: 1,
    ready: true,
    backfill: 1,
    version: manifest.version,
    sourceOf: () => source,
  };

  const ask = async (name: EndpointName, query: object, context: HandlerContext): Promise<unknown> => {
    const { path } = contract[name];
    const missing = handlers[name].needs.filter(
      (feed) => feed !== 'state' && (since.get(feed) ?? Number.POSITIVE_INFINITY) > context.now,
    );
    if (missing.length > 0) {
      const known = missing.every((feed) => since.has(feed));
      const first = Math.max(...missing.map((feed) => since.get(feed) ?? 0));
      throw new ApiError(
        path,
        known ? 'server_error' : 'not_offered',
        `not recorded${known ? ` before ${iso(first)}` : ''}: ${missing.join(', ')}`,
      );
    }
    try {
      return await answered(name, query, context);
    } catch (cause) {
      if (!(cause instanceof InputError)) throw cause;
      throw new ApiError(path, 'invalid_request', cause.message, { cause });
    }
  };

  const steady = new Map<string, { readonly passed: number; readonly answer: unknown }>();
  /** An answer that comes from one window is made once for as long as that holds the same rows. */
  const answered = async (name: EndpointName, query: object, context: HandlerContext): Promise<unknown> => {
    const handler: Handler<EndpointName> = handlers[name];
    const make = () => answerWith(handlers[name], parseQuery(name, { ...query }), context);
    if (handler.window === undefined || passed === undefined) return make();
    const key = `${name} ${JSON.stringify(query)}`;
    const now = await passed(handler.window.series, lastly(handler.window.length, context.now));
    const known = steady.get(key);
    if (known?.passed === now) return known.answer;
    const answer = await make();
    steady.set(key, { passed: now, answer });
    return answer;
  };

  return {
    earliest,
    latest,
    symbols,
    at(now) {
      const context: HandlerContext = { archive, now, universe, feeds: [], state };
      const methods = names.map((name) => [
        name,
        (query: object = {}, signal?: AbortSignal) => {
          signal?.throwIfAborted();
          return ask(name, query, context);
        },
      ]);
      return Object.fromEntries(methods) as PastAnswers;
    },
    close,
  };
}

const names = Object.keys(contract) as EndpointName[];
