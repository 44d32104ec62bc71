import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onLoopback } from '../loopback.ts';
import { isWellFormed } from '../well-formed.ts';
import { applicationRoutes } from './application.ts';
import { createFaults, type Fault, type Faults, type Seen } from './faults.ts';
import { createGateway, type Gateway } from './gateway.ts';
import { type Answered, createInteractions, type Interactions } from './interactions.ts';
import { createLimits, type LimitOptions, noLimits } from './limits.ts';
import type { Upload } from './message.ts';
import { createOAuth } from './oauth.ts';
import { messageRoutes, type Reply, type Route } from './routes.ts';
import { createWorld, type World } from './world.ts';

export interface DiscordOptions {
  readonly limits?: LimitOptions;
  /** How long a nonce is remembered, ms; a few minutes at Discord. */
  readonly nonceWindow?: number;
  /** Time in which an interaction must get its first response, ms. */
  readonly patience?: number;
  readonly heartbeat?: number;
  /** The number of shards that GET /gateway/bot recommends. */
  readonly shards?: number;
  readonly now?: () => number;
  /** Addresses to which the application may lead back. */
  readonly redirects?: readonly string[];
}

export interface Discord extends World {
  /** URL of the API, for `rest: { api }` and DISCORD_API_URL. */
  readonly url: string;
  readonly token: string;
  readonly gateway: Gateway;
  inject(fault: Fault): void;
  /** Every HTTP request with the status of its response, oldest first. */
  readonly requests: readonly (Seen & { readonly status: number; readonly at: number })[];
  /** The commands registered by PUT, by scope: `global` or the id of a guild; `puts` counts the requests. */
  readonly commands: { readonly puts: number; readonly of: ReadonlyMap<string, readonly unknown[]> };
  /** Stores a file that a person attaches. Returns it as an interaction describes it; it can be fetched at `url`. */
  attach(file: { readonly name: string; readonly text: string }): {
    readonly filename: string;
    readonly size: number;
    readonly url: string;
  };
  /** Delivers an interaction to the bot. Resolves with what the person sees. */
  interact(interaction: object): Promise<Answered>;
  readonly shown: Interactions['shown'];
  readonly authorize: ReturnType<typeof createOAuth>['authorize'];
  close(): Promise<void>;
}

const invalidToken: Reply = { status: 401, body: { message: '401: Unauthorized', code: 0 } };
/** The proxy in front of Discord blocks clients without a valid user agent (API reference, "User Agent"). */
const blockedClient: Reply = { status: 403, body: 'error code: 1010' };
const validUserAgent = /^DiscordBot \(\S+, \S+\)/;
const invalidJson: Reply = {
  status: 400,
  body: { message: 'The request body contains invalid JSON.', code: 50109 },
};
const unknownRoute: Reply = { status: 404, body: { message: '404: Not Found', code: 0 } };

/** Starts a double of Discord on loopback that refuses what Discord refuses. */
export async function startDiscord(options: DiscordOptions = {}): Promise<Discord> {
  const {
    limits: rules = noLimits,
    nonceWindow = 300_000,
    patience = 3_000,
    heartbeat = 41_250,
    shards = 1,
  } = options;
  const now = options.now ?? Date.now;
  const world = createWorld();
  const token = `${Buffer.from(world.application).toString('base64url')}.GdoubL.a-secret-only-the-double-knows`;
  const faults: Faults = createFaults();
  const limits = createLimits(rules, now);
  const requests: (Seen & { status: number; at: number })[] = [];
  const interactions = createInteractions(world, now, patience);
  // Discord's keep-alive timeout. Node's default of 5 s closes connections under a client that is slow on a busy machine.
  const server = createServer({ keepAliveTimeout: 120_000 });
  const { port, close } = await onLoopback(server);
  const gatewayUrl = `ws://127.0.0.1:${port}/gateway`;
  const gateway = createGateway(server, { world, token, url: () => gatewayUrl, heartbeat, shards });
  const application = applicationRoutes({ world, gatewayUrl, shards: gateway.requiredShards });
  const oauth = createOAuth(world, options.redirects ?? []);
  const routes: readonly Route[] = [
    ...messageRoutes({ world, now, nonceWindow }),
    ...interactions.routes,
    ...application.routes,
    ...oauth.routes,
  ];

  const rule = (
    { method, path }: Seen,
    request: IncomingMessage,
    call: Parameters<Route['answer']>[1] & { readonly form: URLSearchParams },
  ) => {
    if (!validUserAgent.test(request.headers['user-agent'] ?? ''))
      return { reply: blockedClient, headers: {} };
    const unauthenticated = oauth.answer(request, `${method} ${path}`, call.form);
    if (unauthenticated !== undefined) return { reply: unauthenticated, headers: {} };
    const open = path.startsWith('/interactions/') || path.startsWith('/webhooks/');
    if (!open && request.headers.authorization !== `Bot ${token}`)
      return { reply: invalidToken, headers: {} };
    const route = routes.find((each) => each.method === method && each.path.test(path));
    if (route === undefined) return { reply: unknownRoute, headers: {} };
    const ids = route.path.exec(path)?.slice(1) ?? [];
    const channel = world.channels.get(ids[0] ?? '');
    const major = channel?.type === 11 ? channel.parent_id : ids[0];
    if (!isWellFormed(call.json)) return { reply: invalidJson, headers: {} };
    const { headers, refused } = limits.take(`${route.bucket} ${major ?? ''}`, open);
    if (refused === undefined) return { reply: route.answer(ids, call), headers };
    const after = refused.retryAfter / 1_000;
    const body = { message: 'You are being rate limited.', retry_after: after, global: refused.global };
    return { reply: { status: 429, body }, headers: { ...headers, 'retry-after': String(Math.ceil(after)) } };
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://double');
    const seen: Seen = {
      method: request.method ?? '',
      path: decodeURIComponent(pathname).replace(/^\/api\/v10/, ''),
    };
    const upload = world.uploads.get(seen.path);
    if (upload !== undefined) return void response.end(upload);
    const at = now();
    const call = { ...(await readBody(request)), query };
    const fault = faults.meet(seen);
    const note = (status: number) => void requests.push({ ...seen, status, at });
    const drop = (how: 'reset' | 'hang') => {
      note(0);
      if (how === 'reset') request.socket.resetAndDestroy();
    };
    if (fault !== undefined && 'answer' in fault) {
      const { status, body, headers } = fault.answer;
      note(status);
      return write(response, { status, body }, headers);
    }
    if (fault !== undefined && 'reset' in fault && fault.reset === 'before') return drop('reset');
    if (fault !== undefined && 'hang' in fault && fault.hang === 'before') return drop('hang');
    const { reply, headers } = rule(seen, request, call);
    if (fault !== undefined) return drop('reset' in fault ? 'reset' : 'hang');
    note(reply.status);
    return write(response, reply, headers);
  };
  server.on('request', (request, response) => {
    answer(request, response).catch((error) => {
      // An error after the client hung up is expected; any other error is a defect of the double.
      if (!request.destroyed) response.writeHead(500).end(String(error));
    });
  });

  return {
    ...world,
    url: `http://127.0.0.1:${port}/api`,
    token,
    gateway,
    inject: faults.inject,
    requests,
    shown: interactions.shown,
    authorize: oauth.authorize,
    commands: application.commands,
    attach({ name: filename, text }) {
      const path = `/attachments/${world.id()}/${filename}`;
      world.uploads.set(path, text);
      return { filename, size: Buffer.byteLength(text), url: `http://127.0.0.1:${port}${path}` };
    },
    interact(interaction) {
      const { id, token: own, answered } = interactions.open((interaction as { type: number }).type);
      gateway.dispatch('INTERACTION_CREATE', {
        ...interaction,
        id,
        token: own,
        application_id: world.application,
      });
      return answered;
    },
    async close() {
      gateway.close();
      await close();
    },
  };
}

async function readBody(
  request: IncomingMessage,
): Promise<{ json: unknown; files: readonly Upload[]; form: URLSearchParams }> {
  const body = await buffer(request);
  const type = request.headers['content-type'] ?? '';
  const none = { json: undefined, files: [], form: new URLSearchParams() };
  if (body.length === 0) return none;
  if (type === 'application/x-www-form-urlencoded')
    return { ...none, form: new URLSearchParams(body.toString('utf8')) };
  if (!type.startsWith('multipart/')) return { ...none, json: JSON.parse(body.toString('utf8')) };
  const form = await new Response(body, { headers: { 'content-type': type } }).formData();
  const files: Upload[] = [];
  for (const [name, value] of form) {
    if (typeof value === 'string' || !/^files\[\d+\]$/.test(name)) continue;
    files.push({ filename: value.name, size: value.size, bytes: await value.bytes() });
  }
  return { ...none, json: JSON.parse(String(form.get('payload_json') ?? 'null')), files };
}

function write(
  response: ServerResponse,
  { status, body }: Reply,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (body === undefined) return void response.writeHead(status, headers).end();
  const html = typeof body === 'string';
  const text = html ? body : JSON.stringify(body);
  response
    .writeHead(status, { 'content-type': html ? 'text/html' : 'application/json', ...headers })
    .end(text);
}
