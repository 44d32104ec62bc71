import type { EndpointAnswer, EndpointName, Query } from '../../contract/index.ts';
import { ApiError, InputError } from '../../runtime/errors.ts';
import { second } from '../../runtime/units.ts';
import type { ArchiveReader, FeedState, SeriesName, TimeRange } from '../archive/archive.ts';
import type { Venue } from '../venues/venue.ts';

/** What an answer is made from: a series of the archive, a part of one, or what the service concludes itself. */
export type AnswerSource =
  | SeriesName
  | 'takerVolume'
  | 'liquidations'
  | 'regimes'
  | 'quality'
  | 'listings'
  | 'audits'
  | 'state';

export type MarketSource = 'simulated' | 'recorded' | 'live';

/** A venue as answers know it. */
export type AskedVenue = Pick<Venue, 'name' | 'title' | 'roles'>;

/** What the service knows of itself. */
export interface ServiceState {
  readonly source: MarketSource;
  readonly speed: number;
  readonly ready: boolean;
  /** 0 to 1. */
  readonly backfill: number;
  readonly version: string;
  /** Where the perpetuals are traded, of a live market. */
  readonly venue?: { readonly name: string; readonly title: string };
  /** Those asked, the primary one first; in a past, those of which something may be kept. */
  readonly venues?: readonly AskedVenue[];
  /** What is not told there, and no age makes stale. */
  readonly lacks?: ReadonlySet<AnswerSource>;
  /** Where a feed differs from `source`: recorded candles of one symbol and made ones around them, say. */
  readonly sourceOf: (feed: string, symbol: string) => MarketSource;
}

/** A moment of the market: the present, or any past one. */
export interface HandlerContext {
  readonly archive: ArchiveReader;
  /** Market ms. Nothing later than it is read. */
  readonly now: number;
  /** Tracked symbols. */
  readonly universe: readonly string[];
  /** Where answers are about some of them alone: all, from which the market's own values are concluded. */
  readonly tracked?: readonly string[];
  /** What is known of the feeds at `now`; nothing of past moments. */
  readonly feeds: readonly FeedState[];
  readonly state: ServiceState;
  /** Is told when time alone makes another answer, market ms: of a steady one. */
  readonly until?: (time: number) => void;
}

/** Whether `time` is at most `age` ms ago: when it no longer is, the answer is another. */
export function isWithin(
  { now, until }: Pick<HandlerContext, 'now' | 'until'>,
  { time, age }: { readonly time: number; readonly age: number },
): boolean {
  const within = now - time <= age;
  if (within) until?.(time + age + 1);
  return within;
}

/** Answers one endpoint from the archive. */
export interface Handler<Name extends EndpointName> {
  /** Feeds without which there is no answer: a recording that lacks one does not offer the endpoint. */
  readonly needs: readonly AnswerSource[];
  /** Those without which this question has none, beside the others. */
  readonly needsFor?: (query: Query<Name>) => readonly AnswerSource[];
  /** Its answer stays the same while all it reads does, up to what it says by `until`: a past may keep it. */
  readonly steady?: boolean;
  /** Feeds that add to the answer where they are. */
  readonly uses?: readonly AnswerSource[];
  /** @throws InputError `Invalid symbol`; ApiError server_error while there is nothing to answer from. */
  answer(query: Query<Name>, context: HandlerContext): Promise<EndpointAnswer<Name>>;
}

export type Handlers = { readonly [Name in EndpointName]: Handler<Name> };

/** A query of the contract, answered: the one place where names and their types part company. */
export const answerWith = <Name extends EndpointName>(
  handler: Handler<Name>,
  { query, context }: { readonly query: unknown; readonly context: HandlerContext },
): Promise<EndpointAnswer<Name>> => handler.answer(query as Query<Name>, context);

/** Nothing to answer from, as before the first hour is published. */
export const nothingYet = (endpoint: string, what: string): ApiError =>
  new ApiError(endpoint, 'server_error', `no ${what} yet; ask again in a moment`, { retryAfter: 5 * second });

/** The last `length` ms: after its beginning, up to `now`, so that an hour holds twelve rows of 5 minutes, never 13. */
export const lastly = (length: number, now: number): TimeRange => ({ from: now - length + 1, to: now });

export const requireSymbol = (symbol: string, { universe }: HandlerContext): void => {
  if (!universe.includes(symbol)) throw new InputError('Invalid symbol');
};
