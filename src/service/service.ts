import type { Logger } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import manifest from '../../package.json' with { type: 'json' };
import { contract, type EndpointName } from '../contract/index.ts';
import { openDatabase } from '../database/open.ts';
import { type MarketClock, steadyClock, type WallClock, wallClock } from '../runtime/clock.ts';
import { ApiError, ConfigError } from '../runtime/errors.ts';
import type { Secret } from '../runtime/secret.ts';
import { second } from '../runtime/units.ts';
import { createAccess } from './access/access.ts';
import { createLogin } from './access/login.ts';
import { createPasswords } from './access/password.ts';
import { accessStoreIn } from './access/store.ts';
import { countKeyUsage } from './access/usage.ts';
import { useTimescale } from './archive/hypertables.ts';
import { migrations } from './archive/migrations.ts';
import { archiveIn } from './archive/open.ts';
import type { AuditSettings } from './auditing/keep-auditing.ts';
import { answerWith, type HandlerContext } from './handlers/handler.ts';
import { feedsNeeded, feedsOf, handlers } from './handlers/index.ts';
import { createBodies } from './http/bodies.ts';
import { interfaceLimits, type RequestLimits } from './http/limit.ts';
import { createMetrics, type ServiceMetrics } from './http/metrics.ts';
import { apiRoot, createServer } from './http/server.ts';
import type { Present } from './present.ts';
import { collectOrFollow } from './role.ts';
import { type MarketNature, natureOf } from './upstream.ts';
import type { VenueChoice } from './venue-choice.ts';
import { lacking } from './venues/lacking.ts';
import type { Venue } from './venues/venue.ts';

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
  /** It answers from what another collects into the same archive, and never collects. */
  readonly read?: boolean;
  readonly log: Logger;
}

export interface Service {
  /** The API root, e.g. `http://127.0.0.1:4010/api/v1`. */
  readonly url: string;
  /** The default windows and 90 days of regime are there. Pending for ever where the service is closed before. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/**
 * The data service, from its archive to its socket.
 * @throws ConfigError where the archive cannot be opened or holds another market, or the address cannot be used
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { log, limits = interfaceLimits, trustedProxies = [] } = options;
  const wall: WallClock = wallClock;
  await using started = new AsyncDisposableStack();

  // One connection for both: on SQLite two of one thread would wait for each other.
  const database = await openDatabase<unknown>(options.archiveUrl, { migrations, alone: true });
  const archive = started.adopt(archiveIn(database), (it) => it.close());
  await useTimescale(database, log);
  const nature = await natureOf(options.market);

  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const metrics = createMetrics(registry);
  const ready = Promise.withResolvers<void>();
  let present: Present = nothingYet;
  const clock: MarketClock = {
    speed: nature.source === 'live' ? 1 : options.speed,
    now: () => present.clock.now(),
    wallUntil: (at) => present.clock.wallUntil(at),
  };
  const contextAt = async (at: Present, now: number): Promise<HandlerContext> => ({
    archive,
    now: Math.floor(now),
    universe: at.universe(),
    feeds: await archive.feeds(),
    state: { ...stateOf(nature, at), ready: at.ready(), backfill: at.progress() },
  });
  const bodies = createBodies({
    clock,
    feedsOf,
    async build(name, query) {
      metrics.built(contract[name].path);
      const at = present;
      requireOffered({ name, query }, at.asked()[0]);
      return answerWith(handlers[name], { query, context: await contextAt(at, at.clock.now()) });
    },
  });

  const store = accessStoreIn(database);
  const usage = started.adopt(countKeyUsage({ store, wall, log }), stop);
  const server = createServer({
    bodies,
    onKeyUsed: usage.count,
    access: createAccess({ store, wall, ...(options.apiKey !== undefined && { own: options.apiKey }) }),
    login: createLogin({ store, passwords: createPasswords(), wall, steady: steadyClock }),
    limits,
    trustedProxies,
    clock,
    steady: steadyClock,
    metrics,
    serveMcp: options.mcp === true ? (await import('../runtime/mcp.ts')).serveMcp : undefined,
    log,
    ready: () => present.ready(),
    progress: () => present.progress(),
  });
  const show = (next: Present) => {
    present = next;
  };
  const ports = { database, archive, wall, steady: steadyClock, bodies, contextAt };
  const collecting = { ...ports, onOdd: tellOddRows(metrics, log), onReady: ready.resolve };
  const part = await collectOrFollow(options, { ...collecting, nature, show, changed: bodies.changed });
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

const stop = (part: { stop(): Promise<void> }): Promise<void> => part.stop();

/** Before the market's first moment. */
const nothingYet: Present = {
  clock: { speed: 1, now: () => 0, wallUntil: () => 0 },
  pace: () => 1,
  asked: () => [],
  universe: () => [],
  progress: () => 0,
  ready: () => false,
};

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

const stateOf = ({ source, sourceOf }: MarketNature, { asked, pace }: Present) => {
  const [venue, ...others] = asked();
  return {
    ...(venue !== undefined && {
      venues: [venue, ...others],
      lacks: new Set(lacking(venue).keys()),
      ...(source === 'live' && { venue: { name: venue.name, title: venue.title } }),
    }),
    source,
    sourceOf,
    speed: pace(),
    version: manifest.version,
  };
};

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
