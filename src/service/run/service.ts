import type { Logger } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import manifest from '../../../package.json' with { type: 'json' };
import { contract, type EndpointName } from '../../contract/index.ts';
import { keepExamined } from '../../database/keep-examined.ts';
import { openDatabase } from '../../database/open.ts';
import { type MarketClock, steadyClock, type WallClock, wallClock } from '../../runtime/clock.ts';
import { ApiError, ConfigError } from '../../runtime/errors.ts';
import { type ListenAddress, listenProblem } from '../../runtime/listening.ts';
import type { Secret } from '../../runtime/secret.ts';
import { createTrueTime } from '../../runtime/true-time.ts';
import { second } from '../../runtime/units.ts';
import { resolvesWithin } from '../../runtime/within.ts';
import { createAccess } from '../access/access.ts';
import { interfaceLimits, type RequestLimits } from '../access/limit.ts';
import { createLogin } from '../access/login.ts';
import { createPasswords } from '../access/password.ts';
import { accessStoreIn } from '../access/store.ts';
import { countKeyUsage } from '../access/usage.ts';
import { useTimescale } from '../archive/hypertables.ts';
import { migrations } from '../archive/migrations.ts';
import { archiveIn } from '../archive/open.ts';
import { rememberedArchive } from '../archive/remembered.ts';
import type { AnswerSource } from '../archive/sources.ts';
import type { CheckSettings } from '../checking/keep-data-checks.ts';
import { createPriceTable } from '../collecting/price-table.ts';
import type { FollowedCount } from '../collecting/universe.ts';
import { answerWith, createFigures, type HandlerContext } from '../handlers/handler.ts';
import { feedsNeeded, feedsOf, handlers } from '../handlers/index.ts';
import type { Present } from '../handlers/present.ts';
import { createBodies } from '../http/kept-bodies.ts';
import { createMetrics, type ServiceMetrics } from '../http/metrics.ts';
import { apiRoot, createServer } from '../http/server.ts';
import { createPriceStream } from '../http/stream.ts';
import { unpublishedSources } from '../venues/unpublished-sources.ts';
import type { Venue } from '../venues/venue.ts';
import { collectOrFollow } from './collect-or-follow.ts';
import { createStreamNews } from './stream-news.ts';
import { type MarketNature, natureOf } from './upstream.ts';
import type { VenueChoice } from './venue-choice.ts';

export interface ServiceOptions extends VenueChoice {
  /** Market seconds per wall second; the live market's is 1. */
  readonly speed: number;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** `file:PATH`, `file::memory:` or `postgres://…` */
  readonly archiveUrl: string;
  /** A key that is accepted in addition to those in the database, without a limit of requests. */
  readonly apiKey?: Secret;
  /** Absent: the limits of the interface. */
  readonly limits?: RequestLimits;
  /** Addresses and ranges of the proxies whose X-Forwarded-For is believed; absent: none. */
  readonly trustedProxies?: readonly string[];
  /** Whether agents may use the Model Context Protocol; absent: no. */
  readonly mcp?: boolean;
  readonly symbols: FollowedCount;
  /** Absent: audits check three symbols every ten minutes. */
  readonly checks?: CheckSettings;
  /** Whether the service only responds from an archive into which another service collects, and never collects itself. */
  readonly readOnly?: boolean;
  /** What `natureOf` returns for the market, if the caller has it already. */
  readonly nature?: MarketNature;
  readonly log: Logger;
}

export interface Service {
  /** The API root, e.g. `http://127.0.0.1:4010/api/v1`. */
  readonly url: string;
  /**
   * Resolves when the default windows of the endpoints and 90 days of regimes are available. Stays pending if the service is
   * closed before.
   */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the data service, from its archive to its HTTP server.
 * @throws ConfigError if the archive cannot be opened or holds another market, or the address cannot be used
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { log, limits = interfaceLimits, trustedProxies = [] } = options;
  const { wall } = createTrueTime(wallClock, { log });
  // Found before anything is collected or written.
  const problem = await listenProblem(options);
  if (problem !== undefined) throw cannotListen(options, problem);
  await using started = new AsyncDisposableStack();

  // All stores share one connection: on SQLite two connections of one thread would wait for each other.
  const database = await openDatabase<unknown>(options.archiveUrl, { migrations, alone: true });
  const stored = started.adopt(archiveIn(database), (it) => it.close());
  started.adopt(keepExamined({ database, wall, steady: steadyClock, log }), stop);
  // A SQLite file is written by this process alone.
  const archive = database.dialect === 'sqlite' ? rememberedArchive(stored) : stored;
  await useTimescale(database, log);
  const nature = options.nature ?? (await natureOf(options.market));

  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const metrics = createMetrics(registry);
  const ready = Promise.withResolvers<void>();
  let present: Present = emptyPresent;
  const clock: MarketClock = {
    speed: nature.source === 'live' ? 1 : options.speed,
    now: () => present.clock.now(),
    wallUntil: (at) => present.clock.wallUntil(at),
  };
  const figures = createFigures();
  const contextAt = (at: Present, now: number): HandlerContext => ({
    archive,
    figures,
    now: Math.floor(now),
    universe: at.universe(),
    listed: at.listed(),
    prices: at.prices(),
    feeds: at.feeds,
    askCandles: at.askCandles,
    askTiers: at.askTiers,
    state: { ...stateOf(nature, at), ready: at.ready(), backfill: at.progress() },
  });
  const answer = async <Name extends EndpointName>(name: Name, query: object) => {
    const at = present;
    requireOffered({ name, query }, at.venues()[0]);
    await followAsked(query, at, wall);
    return answerWith<Name>(handlers[name], { query, context: contextAt(at, at.clock.now()) });
  };
  const bodies = createBodies({
    clock,
    feedsOf,
    build(name, query) {
      metrics.countBuild(contract[name].path);
      return answer(name, query);
    },
  });
  const news = createStreamNews({ ask: answer, now: clock.now });
  const changed = (source: AnswerSource) => {
    bodies.changed(source);
    news.changed(source);
  };

  const store = accessStoreIn(database);
  const usage = started.adopt(countKeyUsage({ store, wall, log }), stop);
  const access = createAccess({ store, wall, processKey: options.apiKey });
  const server = createServer({
    bodies,
    onKeyUsed: usage.count,
    access: access.authenticate,
    accounts: { store, forget: access.forget },
    login: createLogin({ store, passwords: createPasswords(), wall, steady: steadyClock }),
    limits,
    trustedProxies,
    clock,
    wall,
    steady: steadyClock,
    metrics,
    serveMcp: options.mcp === true ? (await import('../../runtime/mcp.ts')).serveMcp : undefined,
    log,
    stream: createPriceStream({
      prices: () => present.prices(),
      news: news.read,
      now: clock.now,
      wall,
      onError: (error) => log.error({ err: error }, 'the stream of prices failed; going on'),
    }),
    arePricesKnown: () => present.prices()?.stale() === false,
    ready: () => present.ready(),
    progress: () => present.progress(),
    stale: () => present.stale(),
    ping: () => archive.ping(),
    databaseProblem: database.guard.problem,
  });
  const setPresent = (next: Present) => {
    present = next;
  };
  const ports = {
    ...{ database, archive, wall, steady: steadyClock, bodies, contextAt },
    prices: createPriceTable(),
  };
  const collecting = { ...ports, onRowsDropped: droppedRowsReporter(metrics, log), onReady: ready.resolve };
  const part = await collectOrFollow(options, { ...collecting, nature, setPresent, changed });
  started.adopt(part, stop);
  const origin = await listen(server, options);
  started.defer(() => closeGently(server, wall));

  const release = started.move();
  return {
    url: `${origin}${apiRoot}`,
    ready: ready.promise.then(() => log.info({ url: `${origin}${apiRoot}` }, 'the data service is ready')),
    close: () => release.disposeAsync(),
  };
}

/** How long an answer waits at most for the past of a market that is not followed yet, wall ms. */
const fetchPatience = 1.2 * second;

/** Follows the market that a query is about, if it is listed and not followed yet. */
async function followAsked(query: object, present: Present, wall: WallClock): Promise<void> {
  const { symbol } = query as { readonly symbol?: string };
  if (symbol === undefined || present.universe().includes(symbol) || !present.listed().has(symbol)) return;
  await resolvesWithin(fetchPatience, { work: present.ask(symbol), clock: wall });
}

const stop = (part: { stop(): Promise<void> }): Promise<void> => part.stop();

/** The present until collecting or following has begun. */
const emptyPresent: Present = {
  clock: { speed: 1, now: () => 0, wallUntil: () => 0 },
  pace: () => 1,
  venues: () => [],
  universe: () => [],
  listed: () => new Map(),
  prices: () => undefined,
  ask: async () => {},
  progress: () => 0,
  ready: () => false,
  stale: () => false,
  feeds: async () => [],
};

/** @throws ApiError if the venue does not offer the data that the response is made from */
function requireOffered(
  { name, query }: { readonly name: EndpointName; readonly query: unknown },
  venue: Venue | undefined,
): void {
  if (venue === undefined) return;
  const unpublished = unpublishedSources(venue);
  const missing = feedsNeeded(name, query).find((source) => unpublished.has(source));
  if (missing === undefined) return;
  const what = `${venue.title} does not publish ${unpublished.get(missing)}`;
  throw new ApiError(contract[name].path, 'not_offered', what);
}

const stateOf = ({ source, sourceOf }: MarketNature, { venues, pace }: Present) => {
  const [venue, ...others] = venues();
  return {
    ...(venue !== undefined && {
      venues: [venue, ...others],
      unpublished: new Set(unpublishedSources(venue).keys()),
      ...(source === 'live' && { venue: { name: venue.name, title: venue.title } }),
    }),
    source,
    sourceOf,
    speed: pace(),
    version: manifest.version,
  };
};

function droppedRowsReporter(metrics: ServiceMetrics, log: Logger) {
  const endpoints = new Set<string>();
  return (droppedRows: { readonly endpoint: string; readonly dropped: number }): void => {
    metrics.countDroppedRows(droppedRows.endpoint, droppedRows.dropped);
    // Logged once per endpoint, because some rows stay malformed for weeks and are fetched every five seconds.
    if (!endpoints.has(droppedRows.endpoint))
      log.warn(
        droppedRows,
        'dropped rows that are malformed or lie ahead of the clock; /metrics counts further ones',
      );
    endpoints.add(droppedRows.endpoint);
  };
}

/** @returns the origin under which the server can be reached */
const listen = (server: ReturnType<typeof createServer>, { host, port }: ServiceOptions): Promise<string> =>
  server.listen({ host, port }).catch((cause) => {
    throw cannotListen({ host, port }, cause.code);
  });

const cannotListen = ({ host, port }: ListenAddress, code: string): ConfigError =>
  new ConfigError([`Cannot listen on ${host}:${port} (${code}): choose another host or port.`]);

/** Closes the server: responses under way are finished, and connections still open after two seconds are closed. */
async function closeGently(server: ReturnType<typeof createServer>, wall: WallClock): Promise<void> {
  const closed = new AbortController();
  wall.sleep(2 * second, closed.signal).then(
    () => server.server.closeAllConnections(),
    () => {},
  );
  await server.close();
  closed.abort();
}
