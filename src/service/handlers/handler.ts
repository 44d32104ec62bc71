import type { CandleInterval } from '../../contract/candle-interval.ts';
import type { EndpointAnswer, EndpointName, Query } from '../../contract/index.ts';
import { ApiError, InputError } from '../../runtime/errors.ts';
import { minute, second } from '../../runtime/units.ts';
import type { ArchiveReader, Candle, FeedState, TimeRange } from '../archive/archive.ts';
import type { AnswerSource, MarketSource } from '../archive/sources.ts';
import type { AskTiers } from '../collecting/margin-tiers.ts';
import type { NewestPrices } from '../collecting/price-table.ts';
import type { ListedMarkets } from '../collecting/universe.ts';
import type { Venue } from '../venues/venue.ts';

/** The fields of a venue that handlers use. */
export type AskedVenue = Pick<Venue, 'name' | 'title' | 'roles' | 'pages'>;

/** The state of the data service itself. */
export interface ServiceState {
  readonly source: MarketSource;
  readonly speed: number;
  readonly ready: boolean;
  /** How much of the past has been fetched, 0 to 1. */
  readonly backfill: number;
  readonly version: string;
  /** The venue on which the perpetuals of a live market are traded. */
  readonly venue?: { readonly name: string; readonly title: string };
  /** The venues that are asked, the primary one first. In a past: the venues of which the archive may have data. */
  readonly venues?: readonly AskedVenue[] | undefined;
  /** Sources that the venue does not offer. They never count as stale. */
  readonly unpublished?: ReadonlySet<AnswerSource>;
  /**
   * Returns the source of a symbol's data in a feed, which may differ from `source`: recorded candles of one symbol among
   * simulated ones, for example.
   */
  readonly sourceOf: (feed: string, symbol: string) => MarketSource;
}

/** What a handler needs to respond as of a moment, present or past. */
export interface HandlerContext {
  readonly archive: ArchiveReader;
  /** The moment, market ms. No later data is read. */
  readonly now: number;
  /** The followed markets, which responses about all markets are about. */
  readonly universe: readonly string[];
  /** Every market that can be asked about, followed or not. Absent: the past of the followed ones is asked about. */
  readonly listed?: ListedMarkets | undefined;
  /** All tracked symbols, if `universe` has only some of them. Values about the whole market are derived from all. */
  readonly tracked?: readonly string[];
  /** The newest prices. Absent: only what the archive has is known, as of a past moment. */
  readonly prices?: NewestPrices | undefined;
  /** Reads the state of the feeds at `now`; there is none of a past moment. */
  readonly feeds: () => Promise<readonly FeedState[]>;
  readonly state: ServiceState;
  readonly figures: Figures;
  /** Absent in a past, and in a process that does not collect. */
  readonly askCandles?: AskCandles | undefined;
  /** Absent as `askCandles` is. */
  readonly askTiers?: AskTiers | undefined;
}

/**
 * Asks the venue for a market's closed candles whose open times are in the range.
 * @throws ApiError if there is no answer
 */
export type AskCandles = (
  symbol: string,
  asked: { readonly interval: CandleInterval } & TimeRange,
) => Promise<readonly Candle[]>;

/** Figures that are computed once a period: an hour or a week is over, and takes long to compute. */
interface Figures {
  /** Returns what `compute` made in this period of the figure with this name. Of each figure the last period is kept. */
  in<Value>(period: string, name: string, compute: () => Promise<Value>): Promise<Value>;
}

export function createFigures(): Figures {
  const known = new Map<string, { readonly period: string; readonly value: Promise<unknown> }>();
  return {
    in<Value>(period: string, name: string, compute: () => Promise<Value>) {
      const last = known.get(name);
      if (last?.period === period) return last.value as Promise<Value>;
      const figure = { period, value: compute() };
      known.set(name, figure);
      figure.value.catch(() => known.get(name) === figure && known.delete(name));
      return figure.value;
    },
  };
}

/** Responds to one endpoint from the archive. */
export interface Handler<Name extends EndpointName> {
  /** Sources without which there is no response. A recording that lacks one of them does not offer the endpoint. */
  readonly needs: readonly AnswerSource[];
  /** Returns the sources that this query needs in addition to `needs`. */
  readonly needsFor?: (query: Query<Name>) => readonly AnswerSource[];
  /** Sources that add to the response if they are available. */
  readonly uses?: readonly AnswerSource[];
  /** @throws InputError if there is no data of the symbol; ApiError `server_error` while there is no data. */
  answer(query: Query<Name>, context: HandlerContext): Promise<EndpointAnswer<Name>>;
}

export type Handlers = { readonly [Name in EndpointName]: Handler<Name> };

/**
 * Calls a handler with a parsed query. Only here is the query's type asserted rather than derived from the endpoint's name.
 * @throws InputError `Invalid symbol` if the query names a market that cannot be asked about; what the handler throws
 */
export async function answerWith<Name extends EndpointName>(
  handler: Handler<Name>,
  { query, context }: { readonly query: unknown; readonly context: HandlerContext },
): Promise<EndpointAnswer<Name>> {
  const { symbol } = query as { readonly symbol?: string };
  const { universe, listed } = context;
  if (symbol !== undefined && !universe.includes(symbol) && listed?.has(symbol) !== true)
    throw new InputError('Invalid symbol');
  return handler.answer(query as Query<Name>, context);
}

/**
 * Returns the error for missing data, for example before the first hour is published.
 * @param symbol the market that alone lacks it, one that was listed minutes ago perhaps: nobody waits for that
 */
export const noDataYet = (endpoint: string, what: string, symbol?: string): ApiError =>
  symbol === undefined
    ? new ApiError(endpoint, 'server_error', `no ${what} yet; ask again in a moment`, {
        retryAfter: 5 * second,
      })
    : new ApiError(endpoint, 'server_error', `no ${what} of ${symbol} yet`, { retryAfter: minute });

/**
 * Returns the last `length` ms up to `now`, in whole ms. The beginning is excluded, so that an hour has twelve 5-minute rows,
 * not 13.
 */
export const lastWindow = (length: number, now: number): TimeRange => ({
  from: now - Math.floor(length) + 1,
  to: now,
});
