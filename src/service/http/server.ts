import type { IncomingHttpHeaders } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { contract, type EndpointName, login } from '../../contract/index.ts';
import { stream } from '../../contract/stream.ts';
import type { Clock, MarketClock, WallClock } from '../../runtime/clock.ts';
import type { ServeMcp } from '../../runtime/mcp.ts';
import { slowRequests } from '../../runtime/slow-requests.ts';
import { formatDuration, second } from '../../runtime/units.ts';
import { databasePatience, resolvesWithin } from '../../runtime/within.ts';
import type { Grant } from '../access/access.ts';
import { clientOf, createLimiter, type RequestLimits } from '../access/limit.ts';
import {
  type AccountOptions,
  type Accounts,
  accountCredential,
  accountPath,
  serveAccount,
} from './account.ts';
import { type Body, createBody, matchesEtag, preferredEncoding } from './body.ts';
import { failureSender, sendError } from './failure.ts';
import type { Bodies } from './kept-bodies.ts';
import { answerLogin } from './login.ts';
import { agentsOf, mcpPath } from './mcp.ts';
import type { ServiceMetrics } from './metrics.ts';
import { describeApi } from './openapi.ts';
import { parseQuery } from './query.ts';
import { answerStream, type PriceStream } from './stream.ts';

/** The path of the API's version: the API root is the site's URL followed by this path. */
export const apiRoot = '/api/v1';

interface ServerOptions extends Omit<AccountOptions, 'accounts'> {
  /** What the account area changes. Left out: there is none. */
  readonly accounts?: Accounts;
  readonly bodies: Bodies;
  /** Called when a request made with the key of that id is admitted. Absent: these requests are not counted. */
  readonly onKeyUsed?: (id: string) => void;
  /** Addresses and ranges of the proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  readonly clock: MarketClock;
  readonly wall: WallClock;
  /** Wall ms that never jump. */
  readonly steady: Clock;
  /** False while the data that the default windows need is still being loaded. */
  readonly ready: () => boolean;
  /** The share of that data that is loaded, 0 to 1. */
  readonly progress: () => number;
  /** True while no process collects the data that this one answers from. */
  readonly stale: () => boolean;
  /** The stream of prices and other news. Left out: there is none. */
  readonly stream?: PriceStream;
  /** Whether prices can be told although the past is still being loaded. */
  readonly arePricesKnown?: () => boolean;
  /** Resolves when the database has answered. */
  readonly ping: () => Promise<void>;
  /** Returns why nothing can be stored, with the remedy; null: it can. Left out: it can. */
  readonly databaseProblem?: () => string | null;
  readonly metrics: ServiceMetrics;
  /** Adds the route for agents; absent if it is turned off. */
  readonly serveMcp?: ServeMcp | undefined;
  readonly log: Logger;
}

/** The largest request body, bytes: only the login and the account's forms have one, of a few lines. (The agents' route has its own limit.) */
const bodyLimit = 16 * 1024;
const readMethods = ['GET', 'HEAD'];

interface Arrival {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Undefined on paths to which neither credentials nor limits apply. */
  readonly grant: Grant | undefined;
}

/** Creates the server that offers the contract over HTTP. It does not listen yet. */
export function createServer(options: ServerOptions): FastifyInstance {
  // Fastify gets no logger: creating one for each request would cost as much as all our other work for the request.
  const sendFailure = failureSender(options.log);
  const app = Fastify({
    bodyLimit,
    trustProxy: options.trustedProxies.length > 0 && [...options.trustedProxies],
    http: slowRequests,
    requestTimeout: slowRequests.requestTimeout,
    connectionTimeout: 30 * second,
    // Longer than the minute for which proxies and clients keep a connection, so that they close it before we do.
    keepAliveTimeout: 72 * second,
    forceCloseConnections: 'idle',
    frameworkErrors: sendFailure,
    clientErrorHandler(_error, socket) {
      if (socket.writable) socket.end(badRequest);
    },
  });
  const methods = new Map<string, readonly string[]>();

  // The only body that these routes accept is the login's JSON; the account's page reads its own forms.
  app.removeContentTypeParser('text/plain');
  app.setErrorHandler(sendFailure);
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
    await options.stream?.stop();
  });
  const limiter = createLimiter(options.limits.window);
  const admit = (path: string, { grant, request, reply }: Arrival) => {
    if (grant !== undefined) {
      const { pool, max } = poolOf(grant, { ...options.limits, request });
      const wait = limiter.take(pool, { max, now: options.steady.now() });
      if (wait > 0) {
        reply.header('retry-after', Math.ceil(wait / second));
        const per = formatDuration(options.limits.window);
        return sendError(reply, 429, tooManyMessage(grant, `${max} per ${per}`));
      }
      // The account's page asks to sign in instead.
      if (grant.kind === 'refused' && path !== accountPath) {
        reply.header('www-authenticate', 'Bearer');
        return sendError(reply, 401, grant.error);
      }
      if (grant.kind === 'known' && grant.key !== undefined) options.onKeyUsed?.(grant.key);
    }
    const allowed = methods.get(path);
    if (allowed === undefined) return sendError(reply, 404, 'Unknown path');
    if (!allowed.includes(request.method)) {
      reply.header('allow', allowed.join(', '));
      return sendError(reply, 405, `Method not allowed: use ${allowed[0]}`);
    }
    return undefined;
  };
  app.addHook('onRequest', async (request, reply) => {
    const path = pathOf(request);
    const credentials = credentialsOf(path, request.headers);
    const grant = credentials && (await options.access(credentials));
    return admit(path, { grant, request, reply });
  });

  app.addHook('onResponse', (request, reply, done) => {
    const route = pathOf(request);
    const { statusCode: status, elapsedTime: duration } = reply;
    options.metrics.countResponse(methods.has(route) ? route : 'other', { status, duration });
    // Otherwise a connection whose response was under way would be kept open, and the stop would wait for it.
    if (closing) setImmediate(() => app.server.closeIdleConnections());
    done();
  });

  const get: Get = (path, answer) => {
    methods.set(path, readMethods);
    app.get(path, answer);
  };
  const notReadyReason = () => (options.ready() ? undefined : startingMessage(options.progress()));

  for (const name of Object.keys(contract) as EndpointName[]) {
    const { path, cadence } = contract[name];
    const maxAge = cacheControl(cadence, options.clock.speed);
    get(`${apiRoot}${path}`, async ({ query }, reply) => {
      const isKnown = name === 'meta' || (name === 'prices' && options.arePricesKnown?.() === true);
      const notReady = isKnown ? undefined : notReadyReason();
      if (notReady !== undefined) {
        reply.header('retry-after', 1);
        return sendError(reply, 503, notReady);
      }
      const asked = parseQuery(name, query as Readonly<Record<string, unknown>>);
      return sendBody(reply, await options.bodies.get(name, asked), maxAge);
    });
  }

  get(`${apiRoot}${stream.path}`, answerStream(options.stream));
  serveHealth(get, options);
  serveDescription(get, options.limits);
  serveLogins(app, methods, options);
  if (options.serveMcp !== undefined) {
    methods.set(mcpPath, ['POST']);
    options.serveMcp(app, { path: mcpPath, ...agentsOf({ ...options, notReadyReason }) });
  }
  return app;
}

function serveLogins(
  app: FastifyInstance,
  methods: Map<string, readonly string[]>,
  { accounts, ...options }: ServerOptions,
): void {
  methods.set(login.path, ['POST']);
  app.post(login.path, answerLogin(options.login));
  if (accounts === undefined) return;
  methods.set(accountPath, [...readMethods, 'POST']);
  serveAccount(app, { ...options, accounts });
}

/** Returns the headers that may have a credential; undefined on paths to which neither credentials nor limits apply. */
function credentialsOf(path: string, headers: IncomingHttpHeaders): IncomingHttpHeaders | undefined {
  if (path === accountPath) return accountCredential(headers);
  return path.startsWith(`${apiRoot}/`) || path === mcpPath ? headers : undefined;
}

function pathOf({ url }: FastifyRequest): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

type Get = (path: string, answer: (request: FastifyRequest, reply: FastifyReply) => unknown) => void;

function serveHealth(
  get: Get,
  { ready, progress, stale, ping, databaseProblem, wall, metrics }: ServerOptions,
): void {
  let asking: Promise<boolean> | undefined;
  // Requests at the same time share one question: nothing limits their number, and each question takes a connection.
  const databaseAnswers = () => {
    asking ??= resolvesWithin(databasePatience, { work: ping(), clock: wall }).finally(() => {
      asking = undefined;
    });
    return asking;
  };
  get('/healthz', () => ({ status: 'ok' }));
  get('/readyz', async (_request, reply) => {
    const problem = databaseProblem?.() ?? null;
    if (problem !== null) return reply.code(503).send({ status: 'database lost', problem });
    if (!ready()) return reply.code(503).send({ status: 'starting', progress: progress() });
    if (!(await databaseAnswers())) return reply.code(503).send({ status: 'no database' });
    // All services on one database stand still together, so that refusing requests would leave nobody to answer them.
    return { status: 'ready', ...(stale() && { data: 'stale' }) };
  });
  get('/metrics', async (_request, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metrics.text()),
  );
}

function serveDescription(get: Get, limits: RequestLimits): void {
  const body = createBody(JSON.stringify(describeApi(limits)));
  get('/openapi.json', (_request, reply) => sendBody(reply, body, 'public, max-age=3600'));
}

/**
 * Returns the pool that a request is counted in, and how many requests of the pool may pass. A request with an unknown
 * credential counts as anonymous, so that guessing is limited as well.
 */
const poolOf = (
  grant: Grant,
  { request, anonymous, key }: { readonly request: FastifyRequest } & RequestLimits,
) =>
  grant.kind === 'known'
    ? { pool: grant.pool, max: grant.requestLimit ?? key }
    : { pool: `client ${clientOf(request.ip)}`, max: anonymous };

/**
 * Returns the Cache-Control header. A client's cache may lag behind the newest data by a tenth of the cadence in wall time,
 * at most 60 s.
 */
function cacheControl(cadence: number, speed: number): string {
  const seconds = Math.min(60, Math.floor(cadence / 10 / speed));
  return seconds > 0 ? `public, max-age=${seconds}` : 'no-cache';
}

async function sendBody(reply: FastifyReply, body: Body, cacheControl: string): Promise<FastifyReply> {
  const { 'if-none-match': knownEtag, 'accept-encoding': accepted } = reply.request.headers;
  reply.headers({ etag: body.etag, vary: 'accept-encoding', 'cache-control': cacheControl });
  if (knownEtag !== undefined && matchesEtag(knownEtag, body.etag)) return reply.code(304).send();
  reply.header('content-type', 'application/json; charset=utf-8');
  const encoding = accepted === undefined ? null : preferredEncoding(accepted);
  const compressed = encoding === null ? null : await body.compressed(encoding);
  if (compressed === null) return reply.send(body.bytes);
  return reply.header('content-encoding', encoding).send(compressed);
}

const malformed = JSON.stringify({ error: 'Malformed HTTP request' });
const badRequest = [
  'HTTP/1.1 400 Bad Request',
  'Content-Type: application/json; charset=utf-8',
  `Content-Length: ${malformed.length}`,
  'Connection: close',
  '',
  malformed,
].join('\r\n');

const startingMessage = (progress: number): string =>
  `Starting: ${Math.floor(progress * 100)} % of the past is loaded, ask again in a moment`;

const tooManyMessage = ({ kind }: Grant, limit: string): string =>
  `Too many requests: ${limit} ${kind === 'known' ? 'with this key or session' : 'without an API key'}`;
