import type { Logger } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import manifest from '../../package.json' with { type: 'json' };
import { contract, type EndpointName } from '../contract/index.ts';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open.ts';
import { type WallClock, wallClock } from '../runtime/clock.ts';
import { ApiError, ConfigError } from '../runtime/errors.ts';
import type { Secret } from '../runtime/secret.ts';
import { second } from '../runtime/units.ts';
import { createAccess } from './access/access.ts';
import { createLogin } from './access/login.ts';
import { createPasswords } from './access/password.ts';
import { accessStoreIn } from './access/store.ts';
import type { Archive } from './archive/archive.ts';
import { openHeldVenue } from './archive/held-venue.ts';
import { migrations } from './archive/migrations.ts';
import { archiveIn } from './archive/open.ts';
import { type AuditSettings, keepAuditing } from './auditing/keep-auditing.ts';
import { collectFromPrimary, type PrimaryCollecting } from './collecting/primary.ts';
import { reportProgress } from './collecting/report-progress.ts';
import type { OnOdd } from './exchanges/rows.ts';
import { openThreadedExchanges } from './exchanges/thread.ts';
import { answerWith, type HandlerContext } from './handlers/handler.ts';
import { feedsNeeded, feedsOf, handlers } from './handlers/index.ts';
import { regimeSymbol } from './handlers/regime.ts';
import { createBodies } from './http/bodies.ts';
import { interfaceLimits, type RequestLimits } from './http/limit.ts';
import { createMetrics, type ServiceMetrics } from './http/metrics.ts';
import { apiRoot, createServer } from './http/server.ts';
import { keepChecking } from './quality.ts';
import { keepPublishing } from './regimes.ts';
import { type MarketUpstream, openUpstream } from './upstream.ts';
import { othersOf, type VenueChoice, venuesOf } from './venue-choice.ts';
import { lacking } from './venues/lacking.ts';
import { openOtherVenues } from './venues/others.ts';
import { simulatedVenue, type Venue } from './venues/venue.ts';

export interface ServiceOptions extends VenueChoice {
  /** Market seconds per wall second; the live market's is 1. */
  readonly speed: number;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** `file:PATH`, `file::memory:` or `postgres://…` */
  readonly archiveUrl: string;
  /** Accepted beside those in the database, and without limit. */
  readonly apiKey?: Secret;
  /** Absent: the interface's. */
  readonly limits?: RequestLimits;
  /** Addresses and ranges of the proxies whose X-Forwarded-For is believed; absent: none. */
  readonly trustedProxies?: readonly string[];
  /** Whether agents may ask over the Model Context Protocol; absent: no. */
  readonly mcp?: boolean;
  /** How many pairs are tracked, by volume. */
  readonly symbols: number;
  /** Absent: three symbols every ten minutes. */
  readonly audit?: AuditSettings;
  readonly log: Logger;
}

export interface Service {
  /** The API root, e.g. `http://127.0.0.1:4010/api/v1`. */
  readonly url: string;
  /** The default windows and 90 days of regime are there. Pending for ever where the service is closed before. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** Wall time that never jumps; its origin has no meaning. */
const steady = { now: () => performance.now() };

/**
 * The data service, from its archive to its socket.
 * @throws ConfigError where the archive cannot be opened or holds another market, or the address cannot be used
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { log, limits = interfaceLimits, trustedProxies = [] } = options;
  const wall: WallClock = wallClock;
  const ending = new AbortController();
  await using started = new AsyncDisposableStack();

  // One connection for both: on SQLite two of one thread would wait for each other.
  const database = await openDatabase<unknown>(options.archiveUrl, { migrations, alone: true });
  const archive = started.adopt(archiveIn(database), (it) => it.close());

  const upstream = await openUpstream(options.market, {
    archive,
    speed: options.speed,
    wall,
    steady,
    signal: ending.signal,
  });
  started.defer(() => upstream.close());
  const { clock } = upstream;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const metrics = createMetrics(registry);
  const onOdd = tellOddRows(metrics, log);
  const collecting = await collectMarket(options, { database, archive, upstream, wall, onOdd, ending });
  started.defer(() => collecting.stop());

  let ready = false;
  const contextAt = async (now: number): Promise<HandlerContext> => ({
    archive,
    now: Math.floor(now),
    universe: collecting.universe(),
    feeds: await archive.feeds(),
    state: { ...stateOf(upstream, collecting.asked()), ready, backfill: collecting.progress() },
  });
  const bodies = createBodies({
    clock,
    feedsOf,
    async build(name, query) {
      metrics.built(contract[name].path);
      requireOffered({ name, query }, collecting.venue());
      return answerWith(handlers[name], { query, context: await contextAt(clock.now()) });
    },
  });

  const own = { archive, clock, wall, log, signal: ending.signal };
  const publishing = keepPublishing({
    ...own,
    after: collecting.ready,
    onPublished: () => bodies.changed('regimes'),
  });
  collecting.onData((series, symbols) => {
    bodies.changed(series);
    if (series === 'candles1h' && symbols.includes(regimeSymbol)) publishing.wake();
  });
  const after = publishing.ready;
  const checking = keepChecking({ ...own, contextAt, after, onChecked: () => bodies.changed('quality') });
  const auditing = keepAuditing({
    ...own,
    settings: options.audit,
    bodies,
    source: upstream.source,
    venues: collecting,
    after,
    onAudited: () => bodies.changed('audits'),
  });
  const reporting = reportProgress(collecting.progress, own);
  started.defer(async () => {
    ending.abort();
    await Promise.all([publishing.done, checking, auditing, reporting]);
  });

  const store = accessStoreIn(database);
  const server = createServer({
    bodies,
    access: createAccess({ store, wall, ...(options.apiKey !== undefined && { own: options.apiKey }) }),
    login: createLogin({ store, passwords: createPasswords(), wall, steady }),
    limits,
    trustedProxies,
    clock,
    steady,
    metrics,
    serveMcp: options.mcp === true ? (await import('../runtime/mcp.ts')).serveMcp : undefined,
    log,
    ready: () => ready,
    progress: collecting.progress,
  });
  const origin = await listen(server, options);
  started.defer(() => closeGently(server, wall));

  const release = started.move();
  return {
    url: `${origin}${apiRoot}`,
    ready: publishing.ready.then(() => {
      upstream.run();
      ready = true;
      log.info({ url: `${origin}${apiRoot}` }, 'the data service is ready');
    }),
    close: () => release.disposeAsync(),
  };
}

/** From the primary venue and, of little, from those beside it. @throws ConfigError where there is no such venue */
async function collectMarket(
  options: ServiceOptions,
  {
    database,
    archive,
    upstream: { urls, macro, clock, running },
    wall,
    onOdd,
    ending: { signal },
  }: {
    readonly database: Database<unknown>;
    readonly archive: Archive;
    readonly upstream: MarketUpstream;
    readonly wall: WallClock;
    readonly onOdd: OnOdd;
    readonly ending: AbortController;
  },
): Promise<PrimaryCollecting> {
  const { market, symbols, log, venues: folder } = options;
  const venues = await venuesOf(options);
  const others = await openOtherVenues(urls, {
    venues: await othersOf(options),
    wall,
    signal,
    memory: archive,
    onOdd,
  });
  return collectFromPrimary({
    archive,
    venues,
    others,
    held: await openHeldVenue({ database, archive }, simulatedVenue),
    live: market.kind === 'live',
    open: (venue, signal) => openThreadedExchanges(urls, { venue, folder, signal, memory: archive, onOdd }),
    ...(macro === undefined ? {} : { macro }),
    clock,
    running,
    wall,
    symbols,
    log,
    signal,
  });
}

/** @throws ApiError where the venue does not tell what the answer is made from */
function requireOffered(
  { name, query }: { readonly name: EndpointName; readonly query: unknown },
  venue: Venue | undefined,
): void {
  if (venue === undefined) return;
  const lacks = lacking(venue);
  const missing = feedsNeeded(name, query).find((source) => lacks.has(source));
  if (missing === undefined) return;
  const what = `${venue.title} does not publish ${lacks.get(missing)}`;
  throw new ApiError(contract[name].path, 'not_offered', what);
}

const stateOf = ({ source, sourceOf, pace }: MarketUpstream, [venue, ...others]: readonly Venue[]) => ({
  ...(venue !== undefined && {
    venues: [venue, ...others],
    lacks: new Set(lacking(venue).keys()),
    ...(source === 'live' && { venue: { name: venue.name, title: venue.title } }),
  }),
  source,
  sourceOf,
  speed: pace(),
  version: manifest.version,
});

function tellOddRows(metrics: ServiceMetrics, log: Logger) {
  const endpoints = new Set<string>();
  return (odd: { readonly endpoint: string; readonly dropped: number }): void => {
    metrics.odd(odd.endpoint, odd.dropped);
    // Some are odd for weeks, and asked for every five seconds.
    if (!endpoints.has(odd.endpoint)) log.warn(odd, 'dropped malformed rows; /metrics counts further ones');
    endpoints.add(odd.endpoint);
  };
}

/** @returns the origin it is reached at */
const listen = (server: ReturnType<typeof createServer>, { host, port }: ServiceOptions): Promise<string> =>
  server.listen({ host, port }).catch((cause) => {
    throw new ConfigError(
      [`Cannot listen on ${host}:${port} (${cause.code}): choose another host or port.`],
      { cause },
    );
  });

/** Answers under way are finished; what still hangs after two seconds is cut. */
async function closeGently(server: ReturnType<typeof createServer>, wall: WallClock): Promise<void> {
  const closed = new AbortController();
  wall.sleep(2 * second, closed.signal).then(
    () => server.server.closeAllConnections(),
    () => {},
  );
  await server.close();
  closed.abort();
}
