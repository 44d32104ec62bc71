import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { contract, type EndpointName, login } from '../../contract/index.ts';
import type { Clock, MarketClock } from '../../runtime/clock.ts';
import { formatDuration, second } from '../../runtime/units.ts';
import type { Access, Grant } from '../access/access.ts';
import type { Login } from '../access/login.ts';
import type { Bodies } from './bodies.ts';
import { type Body, createBody, matches, preferredEncoding } from './body.ts';
import { docsPage } from './docs.ts';
import { sendError, sendFailure } from './failure.ts';
import { clientOf, createLimiter, type Limits } from './limit.ts';
import { answerLogin } from './login.ts';
import type { Metrics } from './metrics.ts';
import { describeApi } from './openapi.ts';
import { parseQuery } from './query.ts';

/** The version segment: the API root is the site's URL and this. */
export const apiRoot = '/api/v1';

export interface ServerOptions {
  readonly bodies: Bodies;
  readonly access: Access;
  readonly login: Login;
  readonly limits: Limits;
  /** Addresses and ranges of the proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  readonly clock: MarketClock;
  /** Wall ms that never jump. */
  readonly steady: Clock;
  /** False while what the default windows need is still being loaded. */
  readonly ready: () => boolean;
  /** 0 to 1. */
  readonly progress: () => number;
  readonly metrics: Metrics;
  readonly log: FastifyBaseLogger;
}

/** Requests carry no body but the login's few lines. */
const bodyLimit = 16 * 1024;
const read = ['GET', 'HEAD'];

/** The contract over HTTP. Not listening yet. */
export function createServer(options: ServerOptions): FastifyInstance {
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit,
    trustProxy: options.trustedProxies.length > 0 && [...options.trustedProxies],
    requestTimeout: 10 * second,
    connectionTimeout: 30 * second,
    // Longer than the minute that proxies and clients keep a connection, so that they close it and not we.
    keepAliveTimeout: 72 * second,
    forceCloseConnections: 'idle',
    frameworkErrors: sendFailure,
    clientErrorHandler(_error, socket) {
      if (socket.writable) socket.end(badRequest);
    },
  });
  const methods = new Map<string, readonly string[]>();

  // The login's JSON is the only body understood.
  app.removeContentTypeParser('text/plain');
  app.setErrorHandler(sendFailure);
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  // Else a connection whose answer was under way would be kept open, and the stop would wait for it.
  app.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close');
  });
  const limiter = createLimiter(options.limits.window);
  app.addHook('onRequest', async (request, reply) => {
    const [path = ''] = request.url.split('?', 1);
    if (path.startsWith(`${apiRoot}/`)) {
      const grant = await options.access(request.headers);
      const { pool, max, error } = poolOf(grant, request, options.limits);
      const wait = limiter.take(pool, max, options.steady.now());
      if (wait > 0) {
        reply.header('retry-after', Math.ceil(wait / second));
        return sendError(reply, 429, error);
      }
      if (grant.kind === 'refused') {
        reply.header('www-authenticate', 'Bearer');
        return sendError(reply, 401, grant.error);
      }
    }
    const allowed = methods.get(path);
    if (allowed === undefined) return sendError(reply, 404, 'Unknown path');
    if (!allowed.includes(request.method)) {
      reply.header('allow', allowed.join(', '));
      return sendError(reply, 405, `Method not allowed: use ${allowed[0]}`);
    }
  });

  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? '';
    options.metrics.answered(methods.has(route) ? route : 'other', reply.statusCode, reply.elapsedTime);
  });

  const get = (path: string, answer: (query: Record<string, unknown>, reply: FastifyReply) => unknown) => {
    methods.set(path, read);
    app.get(path, (request, reply) => answer(request.query as Record<string, unknown>, reply));
  };

  for (const name of Object.keys(contract) as EndpointName[]) {
    const { path, cadence } = contract[name];
    get(`${apiRoot}${path}`, async (given, reply) => {
      if (name !== 'meta' && !options.ready()) {
        reply.header('retry-after', 1);
        const loaded = Math.floor(options.progress() * 100);
        return sendError(reply, 503, `Starting: ${loaded} % of the past is loaded, ask again in a moment`);
      }
      const body = await options.bodies.get(name, parseQuery(name, given));
      reply.header('cache-control', cacheControl(cadence, options.clock.speed));
      return sendBody(reply, body);
    });
  }

  get('/healthz', () => ({ status: 'ok' }));
  get('/readyz', (_query, reply) =>
    options.ready()
      ? { status: 'ready' }
      : reply.code(503).send({ status: 'starting', progress: options.progress() }),
  );
  get('/metrics', async (_query, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(await options.metrics.text()),
  );
  const description = describeApi(options.limits);
  const fixed = {
    '/openapi.json': createBody(JSON.stringify(description)),
    '/docs': createBody(docsPage(description), 'text/html; charset=utf-8'),
  };
  for (const [path, body] of Object.entries(fixed)) {
    get(path, (_query, reply) => {
      reply.headers({ 'cache-control': 'public, max-age=3600', 'content-security-policy': pagePolicy });
      return sendBody(reply, body);
    });
  }
  methods.set(login.path, ['POST']);
  app.post(login.path, answerLogin(options.login));
  return app;
}

/** The page is text and its own style: nothing is loaded, run or framed. */
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** Whose requests are counted together, how many may pass, and what is said to the next. */
function poolOf(grant: Grant, request: FastifyRequest, { anonymous, key, window }: Limits) {
  const known = grant.kind === 'known';
  const max = known ? (grant.requestLimit ?? key) : anonymous;
  return {
    // A credential nobody knows counts with the anonymous ones, so that guessing is limited as well.
    pool: known ? grant.pool : `client ${clientOf(request.ip)}`,
    max,
    error: `Too many requests: ${max} per ${formatDuration(window)} ${known ? 'with this key or session' : 'without an API key'}`,
  };
}

/** A tenth of the cadence, in wall time: how much later than the newest data a client's own cache may be. */
function cacheControl(cadence: number, speed: number): string {
  const seconds = Math.min(60, Math.floor(cadence / 10 / speed));
  return seconds > 0 ? `public, max-age=${seconds}` : 'no-cache';
}

async function sendBody(reply: FastifyReply, body: Body) {
  const { 'if-none-match': known, 'accept-encoding': accepted } = reply.request.headers;
  reply.headers({ etag: body.etag, vary: 'accept-encoding' });
  if (known !== undefined && matches(known, body.etag)) return reply.code(304).send();
  reply.type(body.type);
  const encoding = accepted === undefined ? null : preferredEncoding(accepted);
  const compressed = encoding === null ? null : body.compressed(encoding);
  if (encoding === null || compressed === null) return reply.send(body.bytes);
  return reply.header('content-encoding', encoding).send(await compressed);
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
