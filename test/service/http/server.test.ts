import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { contract, login } from '#src/contract/index.ts';
import { marketClock, type WallClock } from '#src/runtime/clock.ts';
import { createCredential } from '#src/runtime/credential.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { Secret } from '#src/runtime/secret.ts';
import { day, minute, second } from '#src/runtime/units.ts';
import { createAccess } from '#src/service/access/access.ts';
import { interfaceLimits } from '#src/service/access/limit.ts';
import { createLogin } from '#src/service/access/login.ts';
import { createPasswords } from '#src/service/access/password.ts';
import type { AccessStore } from '#src/service/access/store.ts';
import type { Archive } from '#src/service/archive/archive.ts';
import { answerWith } from '#src/service/handlers/handler.ts';
import { feedsOf, handlers } from '#src/service/handlers/index.ts';
import { type Bodies, createBodies } from '#src/service/http/kept-bodies.ts';
import { createMetrics } from '#src/service/http/metrics.ts';
import { createServer } from '#src/service/http/server.ts';
import { contextAt, filledArchive, now } from '../fixture.ts';

const key = `tocsin_${'0123456789abcdef'.repeat(4)}`;
const root = '/api/v1';

const passwords = createPasswords({ memory: 8, passes: 1, parallelism: 1 });
const email = 'ann@example.org';
const password = 'correct horse battery';
const limited = createCredential('tocsin');

/** A store with one account, one key with a limit of its own, and the opened sessions. */
const accessStore = async (): Promise<Pick<AccessStore, 'key' | 'session' | 'passwordOf' | 'addSession'>> => {
  const stored = await passwords.hash(password);
  const sessions = new Map<string, Parameters<AccessStore['addSession']>[0]>();
  return {
    key: async (id) =>
      id === limited.id
        ? { ...limited, name: '', owner: null, requestLimit: 2, createdAt: 0, revokedAt: null }
        : undefined,
    passwordOf: async (of) => (of === email ? stored : undefined),
    addSession: async (session) => void sessions.set(session.id, session),
    session: async (id) => sessions.get(id),
  };
};

let archive: Archive;
let bodies: Bodies;
let site: string;
let ready: () => boolean;
let stale: boolean;
let ping: () => Promise<void>;
let sleep: WallClock['sleep'];
let wallTime: number;
let broken: Error | undefined;
let held: Promise<void>;
let builds: number;
let logged: string[];
let close: () => Promise<unknown>;

beforeAll(async () => {
  archive = await filledArchive();
});
afterAll(() => archive.close());

beforeEach(async () => {
  [ready, stale, wallTime, broken, builds, logged] = [() => true, false, 0, undefined, 0, []];
  ping = () => archive.ping();
  sleep = () => new Promise(() => {});
  held = Promise.resolve();
  const store = await accessStore();
  const wall: WallClock = { now: () => wallTime, sleep: (...given) => sleep(...given) };
  const clock = marketClock(wall, { market: now, wall: 0, speed: 1 });
  bodies = createBodies({
    clock,
    feedsOf,
    build: async (name, query) => {
      builds += 1;
      await held;
      if (broken !== undefined) throw broken;
      return answerWith(handlers[name], { query, context: await contextAt(archive, clock.now()) });
    },
  });
  const server = createServer({
    bodies,
    access: createAccess({ store, wall, processKey: new Secret(key) }).authenticate,
    login: createLogin({ store, passwords, wall, steady: wall }),
    limits: interfaceLimits,
    trustedProxies: ['127.0.0.1', '10.0.0.0/8'],
    clock,
    wall,
    steady: wall,
    metrics: createMetrics(),
    ready: () => ready(),
    progress: () => 0.41,
    stale: () => stale,
    ping: () => ping(),
    log: pino({ level: 'info' }, { write: (line: string) => void logged.push(line) }),
  });
  site = await server.listen({ host: '127.0.0.1', port: 0 });
  close = () => server.close();
});

afterEach(() => close());

interface Asked {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}
const get = (path: string, asked: Asked = {}) =>
  fetch(`${site}${path}`, { ...asked, headers: { 'x-api-key': key, ...asked.headers } });
const anonymous = (path: string, asked: Asked = {}) => fetch(`${site}${path}`, asked);

/** Sends a path unchanged, which fetch would normalize. */
const raw = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(site).port), '127.0.0.1', () => socket.end(bytes));
    text(socket).then(resolve, reject);
  });

describe('errors are JSON objects with an error message', () => {
  const refused = async (path: string, status: number, asked?: Asked): Promise<string> => {
    const response = await get(path, asked);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const body = (await response.json()) as { error: string };
    expect(Object.keys(body)).toEqual(['error']);
    return body.error;
  };
  const text = (error: string | RegExp) => (typeof error === 'string' ? error : expect.stringMatching(error));

  it.each([
    ['hours above its bound', 'hours=169', 'hours must be a number above 0, at most 168; given: "169"'],
    ['hours of 0', 'hours=0', 'hours must be a number above 0, at most 168; given: "0"'],
    ['hours that is no number', 'hours=1e2', /^hours must be a number .* given: "1e2"$/],
    ['hours left empty', 'hours=', /^hours must be .* given: ""$/],
    ['a parameter given twice', 'hours=1&hours=2', 'hours may be given only once'],
    ['a long value, cut', `hours=${'9'.repeat(500)}`, /given: "9{40}"$/],
    ['control characters, escaped', 'hours=%00%1b[31m', /given: "\\u0000\\u001b\[31m"$/],
    ['an unknown symbol', 'symbol=NOPEUSDT', 'Invalid symbol'],
    ['a malformed symbol', 'symbol=%3Cscript%3E', 'Invalid symbol'],
    ['a symbol of signs', 'symbol=%E2%82%BF%E2%82%BF', 'Invalid symbol'],
    ['an empty symbol', 'symbol=', 'Invalid symbol'],
    ['a malformed escape', 'symbol=%E0%A4%A', 'Invalid symbol'],
  ])('%s', async (_rule, query, error) => {
    expect(await refused(`${root}/oi/momentum?${query}`, 400)).toEqual(text(error));
  });

  it.each([
    ['a limit above its bound', 'limit=501', 'limit must be an integer from 1 to 500; given: "501"'],
    ['a limit with a fraction', 'limit=1.5', 'limit must be an integer from 1 to 500; given: "1.5"'],
    ['a limit below 1', 'limit=-1', 'limit must be an integer from 1 to 500; given: "-1"'],
    ['since that is no timestamp', 'since=yesterday', /^since must be an ISO 8601 timestamp/],
    ['a symbol as filter', 'symbol=NOPEUSDT', 'Invalid symbol'],
  ])('of liquidations: %s', async (_rule, query, error) => {
    expect(await refused(`${root}/liquidations?${query}`, 400)).toEqual(text(error));
  });

  it.each<[rule: string, path: string, status: number, error: string, asked?: Asked]>([
    ['an unknown path', '/nothing', 404, 'Unknown path'],
    ['a path that climbs', '/%2e%2e/%2e%2e/etc/passwd', 404, 'Unknown path'],
    ['a trailing slash', '/regime/', 404, 'Unknown path'],
    ['a wrong method', '/regime', 405, 'Method not allowed: use GET', { method: 'POST', body: '{}' }],
    ['one with any body', '/regime', 405, 'Method not allowed: use GET', { method: 'PUT', body: 'x' }],
    [
      'an unknown key',
      '/regime',
      401,
      'Unknown or revoked API key',
      { headers: { 'x-api-key': 'tocsin_0' } },
    ],
    ['an empty key', '/regime', 401, 'Unknown or revoked API key', { headers: { 'x-api-key': '' } }],
  ])('%s', async (_rule, path, status, error, asked) => {
    expect(await refused(`${root}${path}`, status, asked)).toBe(error);
  });

  it('a wrong method names the right one', async () => {
    expect((await get(`${root}/regime`, { method: 'DELETE' })).headers.get('allow')).toBe('GET, HEAD');
    expect((await get('/api/auth/login')).headers.get('allow')).toBe('POST');
  });

  it('a path outside the API root', async () => {
    expect((await get('/')).status).toBe(404);
  });

  it('an unknown bearer token', async () => {
    const response = await anonymous(`${root}/meta`, { headers: { authorization: 'Bearer x' } });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('bytes that are no HTTP, headers that are too large, an address that is too long', async () => {
    for (const bytes of [
      'nonsense\r\n\r\n',
      `GET ${root}/meta HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(70_000)}\r\n\r\n`,
      `GET ${root}/meta?${'a'.repeat(70_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
    ]) {
      const reply = await raw(bytes);
      expect(reply).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(JSON.parse(reply.slice(reply.indexOf('\r\n\r\n')))).toEqual({ error: expect.any(String) });
    }
  });

  it('a body too large', async () => {
    const response = await get('/api/auth/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `"${'x'.repeat(20_000)}"`,
    });
    expect([response.status, await response.json()]).toEqual([413, { error: 'The body is too large' }]);
  });

  it('an internal failure reveals nothing about its cause', async () => {
    broken = new Error('SQLITE_CORRUPT at /srv/secret/archive.db');
    const response = await get(`${root}/funding/current`);
    expect(response.status).toBe(500);
    expect(await response.text()).toBe('{"error":"Internal error"}');
    expect(logged.join()).toContain('SQLITE_CORRUPT');
  });

  it('an answer that cannot be given now is 502 with Retry-After, as the service answers other questions', async () => {
    broken = new ApiError('/venues/markets', 'server_error', 'OKX does not answer', { retryAfter: minute });
    const response = await get(`${root}/venues/markets`);
    expect([response.status, response.headers.get('retry-after')]).toEqual([502, '60']);
    expect(await response.json()).toEqual({ error: '/venues/markets: OKX does not answer' });
  });

  it('data that is not loaded yet gives 503 with Retry-After, except for /meta and /healthz', async () => {
    ready = () => false;
    const response = await get(`${root}/funding/current`);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.json()).toEqual({ error: expect.stringContaining('41 %') });
    expect((await get('/healthz')).status).toBe(200);
    expect((await get(`${root}/meta`)).status).toBe(200);
  });
});

describe('/readyz', () => {
  const readiness = async () => {
    const response = await anonymous('/readyz');
    return [response.status, await response.json()];
  };

  it('is ready if the data is loaded and the database answers', async () => {
    expect(await readiness()).toEqual([200, { status: 'ready' }]);
    ready = () => false;
    expect(await readiness()).toEqual([503, { status: 'starting', progress: 0.41 }]);
  });

  it('is not ready while its database fails or does not respond for a second', async () => {
    ping = () => Promise.reject(new Error('away'));
    expect(await readiness()).toEqual([503, { status: 'no database' }]);
    let waited = 0;
    ping = () => new Promise(() => {});
    sleep = async (ms) => {
      waited += ms;
    };
    expect(await readiness()).toEqual([503, { status: 'no database' }]);
    expect(waited).toBe(second);
    expect((await get('/healthz')).status).toBe(200);
  });

  it('asks the database once for requests at the same time, and again for later ones', async () => {
    const questions: (() => void)[] = [];
    ping = () => new Promise((resolve) => void questions.push(resolve));
    let arrived = 0;
    ready = () => {
      arrived += 1;
      return true;
    };
    for (const all of [3, 6]) {
      const asked = [readiness(), readiness(), readiness()];
      await vi.waitUntil(() => arrived === all, { interval: 1 });
      questions.at(-1)?.();
      await Promise.all(asked);
    }
    expect(questions).toHaveLength(2);
  });

  it('says that nobody collects its data, and stays ready', async () => {
    stale = true;
    expect(await readiness()).toEqual([200, { status: 'ready', data: 'stale' }]);
  });
});

describe('300 requests per 15 minutes and address without a key', () => {
  const spend = async (count: number) => {
    for (let i = 0; i < count; i++) await (await anonymous(`${root}/nothing`)).arrayBuffer();
  };

  it('the 301st is refused with Retry-After until the first is 15 minutes old, any path counts', async () => {
    await (await anonymous(`${root}/meta`)).arrayBuffer();
    wallTime = 5 * minute;
    await spend(299);
    const refused = await anonymous(`${root}/meta`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '600']);
    expect(await refused.json()).toEqual({
      error: 'Too many requests: 300 per 15 min without an API key',
    });
    wallTime = 15 * minute;
    expect((await anonymous(`${root}/meta`)).status).toBe(200);
    const again = await anonymous(`${root}/meta`);
    expect([again.status, again.headers.get('retry-after')]).toEqual([429, '300']);
  });

  it('counts for the address that a trusted proxy names, not for one that a client claims', async () => {
    const from = (forwarded: string) =>
      anonymous(`${root}/meta`, { headers: { 'x-forwarded-for': forwarded } });
    for (let i = 0; i < 300; i++) await (await from('203.0.113.7, 10.1.2.3')).arrayBuffer();
    expect((await from('203.0.113.7')).status).toBe(429);
    expect((await from('198.51.100.1, 203.0.113.7')).status).toBe(429);
    expect((await from('203.0.113.8')).status).toBe(200);
  });

  it('can be changed for a single key', async () => {
    const mine = () => anonymous(`${root}/meta`, { headers: { 'x-api-key': limited.text } });
    expect([(await mine()).status, (await mine()).status]).toEqual([200, 200]);
    const refused = await mine();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '900']);
    expect(await refused.json()).toEqual({
      error: 'Too many requests: 2 per 15 min with this key or session',
    });
    expect((await anonymous(`${root}/meta`)).status).toBe(200);
  });

  it('do not apply to a key, but to an unknown key, and not to health and OpenAPI', async () => {
    for (let i = 0; i < 10; i++) await (await anonymous('/healthz')).arrayBuffer();
    await spend(300);
    expect((await get(`${root}/meta`)).status).toBe(200);
    expect((await anonymous('/healthz')).status).toBe(200);
    expect((await anonymous('/openapi.json')).status).toBe(200);
    expect((await anonymous('/metrics')).status).toBe(200);
    expect((await anonymous(`${root}/meta`, { headers: { 'x-api-key': 'guess' } })).status).toBe(429);
  });
});

describe('bodies are cached until data changes or their cadence turns', () => {
  const path = `${root}/funding/history?symbol=ETHUSDT&limit=5`;

  it('equal queries share one body, however defaults and unknown parameters are written', async () => {
    await Promise.all([
      get(`${root}/funding/history`),
      get(`${root}/funding/history?symbol=btcusdt&limit=100&_=1`),
      get(`${root}/funding/history?limit=100`),
    ]);
    expect(builds).toBe(1);
  });

  it('a matching tag gives 304, and the body comes again once its data has changed', async () => {
    const etag = (await get(path)).headers.get('etag') ?? '';
    const again = await get(path, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text(), builds]).toEqual([304, '', 1]);

    await archive.write('funding', [{ symbol: 'ETHUSDT', time: now, rate: 0.0005 }]);
    expect((await get(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
    bodies.changed('openInterest');
    expect((await get(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
    bodies.changed('funding');
    const fresh = await get(path, { headers: { 'if-none-match': etag } });
    expect(fresh.status).toBe(200);
    expect(await fresh.text()).toMatch(/"0\.00050000","annualized":"54\.7500"\}\]\}$/);
  });

  it('a body is built again when the cadence turns, and after a failure', async () => {
    broken = new Error('gone');
    expect((await get(path)).status).toBe(500);
    broken = undefined;
    expect((await get(path)).status).toBe(200);
    wallTime += contract.fundingHistory.cadence * 1000;
    await get(path);
    expect(builds).toBe(3);
  });

  it('Cache-Control is a tenth of the cadence', async () => {
    expect((await get(path)).headers.get('cache-control')).toBe('public, max-age=30');
    expect((await get(`${root}/meta`)).headers.get('cache-control')).toBe('no-cache');
  });

  it('HEAD answers with the headers alone', async () => {
    const head = await get(path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('etag')).toBe((await get(path)).headers.get('etag'));
  });
});

describe('compression', () => {
  const path = `${root}/oi?limit=100`;

  it.each(['br', 'gzip'])(
    '%s is used if the client asks for it, with the same content and tag',
    async (encoding) => {
      const plain = await get(path, { headers: { 'accept-encoding': 'identity' } });
      expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([
        null,
        'accept-encoding',
      ]);
      const small = await get(path, { headers: { 'accept-encoding': encoding } });
      expect(small.headers.get('content-encoding')).toBe(encoding);
      expect(Number(small.headers.get('content-length'))).toBeLessThan(
        Number(plain.headers.get('content-length')) / 2,
      );
      expect(small.headers.get('etag')).toBe(plain.headers.get('etag'));
      expect(await small.json()).toEqual(await plain.json());
      const tag = plain.headers.get('etag') ?? '';
      const known = await get(path, { headers: { 'accept-encoding': encoding, 'if-none-match': tag } });
      expect([known.status, known.headers.get('content-encoding')]).toEqual([304, null]);
    },
  );
});

describe('login', () => {
  const log = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${site}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('returns a token that is valid for 24 hours', async () => {
    const response = await log({ email, password });
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { token, expiresAt } = login.answer.parse(await response.json());
    expect(Date.parse(expiresAt)).toBe(wallTime + day);
    const ask = () => anonymous(`${root}/meta`, { headers: { authorization: `Bearer ${token}` } });
    expect((await ask()).status).toBe(200);
    wallTime += day;
    const expired = await ask();
    expect([expired.status, expired.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(await expired.json()).toEqual({ error: 'Unknown or expired session token: log in again' });
  });

  it('responds in the same way whether or not the account exists', async () => {
    const replies = [];
    for (const of of [email, 'nobody@example.org']) {
      const response = await log({ email: of, password: 'wrong' });
      replies.push([response.status, await response.json()]);
    }
    expect(replies[0]).toEqual([401, { error: 'Wrong email or password' }]);
    expect(replies[1]).toEqual(replies[0]);
  });

  it('is locked after five failures, with Retry-After', async () => {
    for (let i = 0; i < 5; i++) await (await log({ email, password: 'wrong' })).arrayBuffer();
    const response = await log({ email, password });
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '900']);
    expect(await response.json()).toEqual({ error: 'Too many failed logins: try again in 15 min' });
  });

  it.each([
    ['no JSON', '{', {}, 400],
    ['no password', { email }, {}, 400],
    ['no email', { email: 'ann', password }, {}, 400],
    ['another type', `email=${email}`, { 'content-type': 'text/plain' }, 415],
  ])('%s is refused in JSON without repeating the input', async (_rule, body, headers, status) => {
    const response = await log(body, headers);
    expect(response.status).toBe(status);
    const reply = await response.text();
    expect(JSON.parse(reply)).toEqual({ error: expect.any(String) });
    expect(reply).not.toContain('ann');
  });

  it('no password, token or key is in the log, even if something fails', async () => {
    broken = new Error('gone');
    const { token } = login.answer.parse(await (await log({ email, password })).json());
    for (const headers of [{ authorization: `Bearer ${token}` }, { 'x-api-key': key }]) {
      expect((await anonymous(`${root}/oi`, { headers })).status).toBe(500);
    }
    expect(logged.filter((line) => line.includes('a request failed'))).toHaveLength(2);
    for (const secret of [password, token, key]) expect(logged.join()).not.toContain(secret);
  });
});

const openApiText = z.object({
  info: z.object({ description: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
});
const operationOf = z.looseObject({
  parameters: z.array(z.unknown()).default([]),
  responses: z.record(z.string(), z.unknown()),
});

it('OpenAPI contains every endpoint with its bounds and defaults, the login, and the fixed rules', async () => {
  const response = await get('/openapi.json');
  const { info, paths } = openApiText.parse(await response.json());
  expect(Object.keys(paths)).toEqual([
    ...Object.values(contract).map(({ path }) => path),
    '/stream',
    login.path,
  ]);
  expect(operationOf.parse(paths['/meta']?.get)['x-extension']).toBe(true);
  expect(operationOf.parse(paths['/oi/momentum']?.get).parameters).toContainEqual(
    expect.objectContaining({
      name: 'hours',
      schema: expect.objectContaining({ default: 6, exclusiveMinimum: 0, maximum: 168 }),
    }),
  );
  expect(info.description).toContain('300 requests in any 15 min without a key');
  const opened = operationOf.parse(paths['/stream']?.get);
  expect(opened['x-extension']).toBe(true);
  expect(opened.responses[200]).toMatchObject({
    content: {
      'text/event-stream': {
        schema: { properties: { price: {}, liquidation: {}, listing: {}, regime: {} } },
      },
    },
  });
  expect(opened.parameters).toContainEqual(expect.objectContaining({ name: 'symbols', in: 'query' }));
  const failures = ({ responses }: { responses: object }) => Object.keys(responses).map(Number).slice(1);
  expect(failures(operationOf.parse(paths['/volume/cvd']?.get))).toEqual([400, 401, 429, 501, 502, 503]);
  expect(failures(operationOf.parse(paths[login.path]?.post))).toEqual([400, 401, 429, 503]);
  const tag = response.headers.get('etag') ?? '';
  expect((await get('/openapi.json', { headers: { 'if-none-match': tag } })).status).toBe(304);
});

it('/metrics counts responses by route and status, and the bodies that were built', async () => {
  await (await get(`${root}/oi`)).arrayBuffer();
  await (await get(`${root}/no-such-${key.slice(-8)}`)).arrayBuffer();
  // A response is counted after it has ended.
  const text = await vi.waitFor(async () => {
    const now = await (await anonymous('/metrics')).text();
    expect(now).toContain('tocsin_http_requests_total{route="other",status="404"} 1');
    return now;
  });
  expect(text).toContain('tocsin_http_requests_total{route="/api/v1/oi",status="200"} 1');
  expect(text).not.toContain('no-such');
});

it('a stop finishes the responses in progress', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  held = promise;
  const answer = get(`${root}/funding/current`);
  await vi.waitUntil(() => builds === 1, { interval: 1 });
  const closed = close();
  resolve();
  expect((await answer).status).toBe(200);
  await closed;
});
