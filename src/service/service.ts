import type { Logger } from 'pino';
import manifest from '../../package.json' with { type: 'json' };
import { type WallClock, wallClock } from '../runtime/clock.ts';
import { ConfigError } from '../runtime/errors.ts';
import type { Secret } from '../runtime/secret.ts';
import { second } from '../runtime/units.ts';
import { openArchive } from './archive/open.ts';
import { startCollecting } from './collecting/collecting.ts';
import { answerWith, type HandlerContext } from './handlers/handler.ts';
import { feedsOf, handlers } from './handlers/index.ts';
import { regimeSymbol } from './handlers/regime.ts';
import { createAccess } from './http/access.ts';
import { createBodies } from './http/bodies.ts';
import { anonymousLimit, createLimiter } from './http/limit.ts';
import { apiRoot, createServer } from './http/server.ts';
import { keepChecking } from './quality.ts';
import { keepPublishing } from './regimes.ts';
import { type MarketChoice, openUpstream } from './upstream.ts';

export interface ServiceOptions {
  readonly market: MarketChoice;
  /** Market seconds per wall second; the live market's is 1. */
  readonly speed: number;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** `file:PATH`, `file::memory:` or `postgres://…` */
  readonly archiveUrl: string;
  /** Accepted beside anonymous requests, and outside their limit. */
  readonly apiKey?: Secret;
  /** How many pairs are tracked, by volume. */
  readonly symbols: number;
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
  const { log } = options;
  const wall: WallClock = wallClock;
  const ending = new AbortController();
  await using started = new AsyncDisposableStack();

  const archive = await openArchive(options.archiveUrl);
  started.defer(() => archive.close());

  const upstream = await openUpstream(options.market, { archive, speed: options.speed, wall, steady });
  started.defer(() => upstream.close());
  const { clock } = upstream;

  const collecting = startCollecting({
    archive,
    urls: upstream.urls,
    clock,
    wall,
    symbols: options.symbols,
    log,
    signal: ending.signal,
  });
  started.defer(() => collecting.stop());

  let ready = false;
  const contextAt = async (now: number): Promise<HandlerContext> => ({
    archive,
    now: Math.floor(now),
    universe: collecting.universe(),
    feeds: await archive.feeds(),
    state: {
      source: upstream.source,
      speed: clock.speed,
      ready,
      backfill: collecting.progress(),
      version: manifest.version,
      sourceOf: upstream.sourceOf,
    },
  });
  const bodies = createBodies({
    clock,
    feedsOf,
    build: async (name, query) => answerWith(handlers[name], query, await contextAt(clock.now())),
  });

  const publishing = keepPublishing({
    archive,
    clock,
    log,
    after: collecting.ready,
    signal: ending.signal,
    onPublished: () => bodies.changed('regimes'),
  });
  collecting.onData((series, symbols) => {
    bodies.changed(series);
    if (series === 'candles1h' && symbols.includes(regimeSymbol)) publishing.wake();
  });
  const checking = keepChecking({
    contextAt,
    clock,
    wall,
    log,
    after: publishing.ready,
    signal: ending.signal,
    onChecked: () => bodies.changed('quality'),
  });
  started.defer(async () => {
    ending.abort();
    await Promise.all([publishing.done, checking]);
  });

  const server = createServer({
    bodies,
    access: createAccess(options.apiKey === undefined ? [] : [options.apiKey]),
    limiter: createLimiter(anonymousLimit),
    clock,
    wall,
    ready: () => ready,
    progress: collecting.progress,
    log,
  });
  const origin = await server.listen({ host: options.host, port: options.port }).catch((cause) => {
    throw new ConfigError(
      [`${options.host}:${options.port} cannot be listened on (${cause.code}): choose another host or port.`],
      { cause },
    );
  });
  started.defer(async () => {
    // Answers under way are finished; what still hangs after two seconds is cut.
    const closed = new AbortController();
    wall.sleep(2 * second, closed.signal).then(
      () => server.server.closeAllConnections(),
      () => {},
    );
    await server.close();
    closed.abort();
  });

  const release = started.move();
  return {
    url: `${origin}${apiRoot}`,
    ready: publishing.ready.then(() => {
      ready = true;
      log.info({ url: `${origin}${apiRoot}` }, 'the data service is ready');
    }),
    close: () => release.disposeAsync(),
  };
}
