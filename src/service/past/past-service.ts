import manifest from '../../../package.json' with { type: 'json' };
import type { DataClient } from '../../contract/data-client.ts';
import { contract, type EndpointName } from '../../contract/index.ts';
import { ApiError, InputError } from '../../runtime/errors.ts';
import { iso } from '../../runtime/units.ts';
import type { ArchiveReader } from '../archive/archive.ts';
import type { AnswerSource, MarketSource } from '../archive/sources.ts';
import {
  type AskedVenue,
  answerWith,
  createFigures,
  type HandlerContext,
  type ServiceState,
} from '../handlers/handler.ts';
import { feedsNeeded, handlers } from '../handlers/index.ts';
import { parseQuery } from '../http/query.ts';

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
  at(now: number): DataClient;
  close(): Promise<void>;
}

interface PastOptions extends Pick<Past, 'earliest' | 'latest' | 'symbols' | 'close'> {
  readonly archive: ArchiveReader;
  /** The time from which each feed has data, market ms. */
  readonly since: ReadonlyMap<AnswerSource, number>;
  readonly source: MarketSource;
  /** The venues of which something may be stored, the primary one first; absent: none. */
  readonly venues?: readonly AskedVenue[] | undefined;
  /** The symbols that responses are about; absent: all. */
  readonly universe?: readonly string[] | undefined;
  /** Awaited before each response. */
  readonly pause?: () => Promise<void>;
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

  const figures = createFigures();

  /** @throws ApiError with the ms until there is data, if an endpoint lacks data at `now` */
  const requireRecorded = (
    name: EndpointName,
    { query, now }: { readonly query: unknown; readonly now: number },
  ): void => {
    const missing = feedsNeeded(name, query).filter(
      (feed) => feed !== 'state' && (since.get(feed) ?? Number.POSITIVE_INFINITY) > now,
    );
    if (missing.length === 0) return;
    const { path } = contract[name];
    const known = missing.flatMap((feed) => since.get(feed) ?? []);
    if (known.length < missing.length)
      throw new ApiError(path, 'not_offered', `not recorded: ${missing.join(', ')}`);
    const begins = Math.max(...known);
    throw new ApiError(path, 'server_error', `not recorded before ${iso(begins)}: ${missing.join(', ')}`, {
      retryAfter: begins - now,
    });
  };

  const ask = async (
    name: EndpointName,
    {
      given,
      context,
    }: { readonly given: Readonly<Record<string, unknown>>; readonly context: HandlerContext },
  ): Promise<unknown> => {
    try {
      const query = parseQuery(name, given);
      requireRecorded(name, { query, now: context.now });
      await pause?.();
      return await answerWith(handlers[name], { query, context });
    } catch (cause) {
      throw cause instanceof InputError
        ? new ApiError(contract[name].path, 'invalid_request', cause.message, { cause })
        : cause;
    }
  };

  return {
    earliest,
    latest,
    symbols,
    at(now) {
      const context: HandlerContext = {
        archive,
        now,
        universe,
        tracked: symbols,
        feeds: async () => [],
        figures,
        state: now < liquidationsSince ? stateWithoutLiquidations : state,
      };
      const methodOf =
        (name: EndpointName) =>
        async (given: Readonly<Record<string, unknown>> = {}, signal?: AbortSignal) => {
          signal?.throwIfAborted();
          return ask(name, { given, context });
        };
      return Object.fromEntries(names.map((name) => [name, methodOf(name)])) as unknown as DataClient;
    },
    close,
  };
}

const names = Object.keys(contract) as EndpointName[];
