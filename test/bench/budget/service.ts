import type { Dispatcher } from 'undici';
import { settlingLag } from '#src/client/cache.ts';
import { contract, type EndpointAnswer, type EndpointName } from '#src/contract/index.ts';
import type { WallClock } from '#src/runtime/clock.ts';
import { minute, second } from '#src/runtime/units.ts';
import { answers, asOf } from '#test/support/data.ts';

/** Ms between two publications, and ms from a row's stamp to its publication. */
export interface Publication {
  readonly every: number;
  readonly late: number;
}

/** Ms by which Binance publishes the rows of `/futures/data` after their stamp. */
const futuresDataLate = 4.5 * minute;
const futuresData: readonly EndpointName[] = ['oi', 'oiMomentum', 'oiVelocity', 'lsRatioHistory'];
/** Ms of a request's way to the service and back. */
const travel = 150;

export const publicationOf = (name: EndpointName): Publication => {
  const every = contract[name].cadence * second;
  return { every, late: futuresData.includes(name) ? futuresDataLate : settlingLag(every) };
};

/** Returns the stamp of the newest row that is published at `time`. */
const stampAt = (name: EndpointName, time: number): number => {
  const { every, late } = publicationOf(name);
  return Math.floor((time - late) / every) * every;
};

/** Returns the name of a feed: path and query without `since`, which differs in each request. */
export function feedOf(name: EndpointName, query: object): string {
  const { since, ...subject } = contract[name].query.parse(query) as Record<string, unknown>;
  const fields = Object.entries(subject).sort(([a], [b]) => (a < b ? -1 : 1));
  return [contract[name].path, ...fields.map(([field, value]) => `${field}=${value}`)].join(' ');
}

export interface ServiceRequest {
  readonly at: number;
  readonly feed: string;
  readonly refused: boolean;
}

/** The time of an answer, and the stamp of its newest row. */
interface Served {
  readonly at: number;
  readonly stamp: number;
}

const names = Object.keys(contract) as EndpointName[];

/** Creates a data service that answers at most `limit` requests in any `window`, and responds with 429 to others. */
export function limitedService({
  wall,
  symbols,
  limit,
  window,
}: {
  readonly wall: WallClock;
  readonly symbols: readonly string[];
  readonly limit: number;
  readonly window: number;
}) {
  const asked: ServiceRequest[] = [];
  const newest = new Map<string, Served>();
  const known = answersFor(symbols);

  async function respond(target: string) {
    const { pathname, searchParams } = new URL(target, 'http://service');
    const name = names.find((each) => pathname.endsWith(`/v1${contract[each].path}`));
    await wall.sleep(travel / 2);
    const at = wall.now();
    const query = Object.fromEntries(searchParams);
    const feed = name === undefined ? pathname : feedOf(name, query);
    const recent = asked.filter((each) => !each.refused && each.at > at - window);
    const refused = recent.length >= limit;
    asked.push({ at, feed, refused });
    await wall.sleep(travel / 2);
    if (refused) return { status: 429, body: { error: 'Too many requests' } };
    if (name === undefined) return { status: 404, body: { error: 'Not found' } };
    newest.set(feed, { at, stamp: stampAt(name, at) });
    const right = asOf(known[name], at);
    return { status: 200, body: query.symbol === undefined ? right : { ...right, symbol: query.symbol } };
  }

  const http = {
    async request({ path }: Dispatcher.RequestOptions) {
      const { status, body } = await respond(path);
      const headers = {
        'content-type': 'application/json',
        ...(status === 429 && { 'retry-after': String(window / second) }),
      };
      return { statusCode: status, headers, body: [Buffer.from(JSON.stringify(body))] };
    },
  };

  return {
    /** A dispatcher for the client; it has only `request`. */
    http: http as unknown as Dispatcher,
    asked: asked as readonly ServiceRequest[],
    /** Returns the last answer about this feed. */
    served: (feed: string): Served | undefined => newest.get(feed),
  };
}

/** Returns the answers of the test data for these symbols, in a market where nothing happens. */
function answersFor(symbols: readonly string[]): { readonly [Name in EndpointName]: EndpointAnswer<Name> } {
  const { marketOverview, fundingCurrent, fundingIntervals, fundingStandings } = answers;
  const forEach = <Row extends object>([first]: readonly Row[]): Row[] =>
    symbols.map((symbol) => ({ ...(first as Row), symbol }));
  return {
    ...answers,
    marketOverview: { ...marketOverview, coins: forEach(marketOverview.coins) },
    fundingCurrent: { data: forEach(fundingCurrent.data) },
    fundingIntervals: { data: forEach(fundingIntervals.data) },
    fundingStandings: { data: forEach(fundingStandings.data) },
    fundingExtremes: { ...answers.fundingExtremes, data: [], count: 0 },
    liquidations: { data: [] },
    meta: {
      ...answers.meta,
      source: 'live',
      speed: 1,
      symbols: [...symbols],
      // With it, the most frequent feed of single symbols would hardly be asked for.
      extensions: answers.meta.extensions.filter((extension) => extension !== 'oiMovers'),
    },
  };
}
