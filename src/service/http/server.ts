import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  LogController,
} from 'fastify';
import { contract, type EndpointName, login } from '../../contract/index.ts';
import type { MarketClock, WallClock } from '../../runtime/clock.ts';
import { second } from '../../runtime/units.ts';
import type { Access } from './access.ts';
import type { Bodies, Body } from './bodies.ts';
import { sendError, sendFailure } from './failure.ts';
import type { Limiter } from './limit.ts';
import { openApi } from './openapi.ts';
import { parseQuery } from './query.ts';

/** The version segment: the API root is the site's URL and this. */
export const apiRoot = '/api/v1';

export interface ServerOptions {
  readonly bodies: Bodies;
  readonly access: Access;
  readonly limiter: Limiter;
  readonly clock: MarketClock;
  readonly wall: WallClock;
  /** False while what the default windows need is still being loaded. */
  readonly ready: () => boolean;
  /** 0 to 1. */
  readonly progress: () => number;
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

  app.setErrorHandler(sendFailure);
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  // Else a connection whose answer was under way would be kept open, and the stop would wait for it.
  app.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close');
  });
  app.addHook('onRequest', async (request, reply) => {
    const [path = ''] = request.url.split('?', 1);
    if (path.startsWith(`${apiRoot}/`)) {
      const access = options.access(request.headers);
      const wait = access === 'key' ? 0 : options.limiter.take(request.ip, options.wall.now());
      if (wait > 0) {
        reply.header('retry-after', Math.ceil(wait / second));
        return sendError(reply, 429, 'Too many requests: 300 per 15 minutes without an API key');
      }
      if (access === 'refused') {
        reply.header('www-authenticate', 'Bearer');
        return sendError(reply, 401, 'Unknown API key or session token');
      }
    }
    const allowed = methods.get(path);
    if (allowed === undefined) return sendError(reply, 404, 'Unknown path');
    if (!allowed.includes(request.method)) {
      reply.header('allow', allowed.join(', '));
      return sendError(reply, 405, `Method not allowed: use ${allowed[0]}`);
    }
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
  get('/openapi.json', () => openApi);
  methods.set(login.path, ['POST']);
  app.post(login.path, (_request, reply) => sendError(reply, 501, 'Login is not offered by this service'));
  return app;
}

/** A tenth of the cadence, in wall time: how much later than the newest data a client's own cache may be. */
function cacheControl(cadence: number, speed: number): string {
  const seconds = Math.min(60, Math.floor(cadence / 10 / speed));
  return seconds > 0 ? `public, max-age=${seconds}` : 'no-cache';
}

function sendBody(reply: FastifyReply, { json, etag }: Body) {
  reply.header('etag', etag);
  const known = reply.request.headers['if-none-match'];
  if (known !== undefined && (known === '*' || known.includes(etag))) return reply.code(304).send();
  return reply.type('application/json; charset=utf-8').send(json);
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
