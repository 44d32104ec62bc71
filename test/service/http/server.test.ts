import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { contract } from '#src/contract/index.ts';
import { marketClock, type WallClock } from '#src/runtime/clock.ts';
import { Secret } from '#src/runtime/secret.ts';
import { minute } from '#src/runtime/units.ts';
import type { Archive } from '#src/service/archive/archive.ts';
import { answerWith } from '#src/service/handlers/handler.ts';
import { feedsOf, handlers } from '#src/service/handlers/index.ts';
import { createAccess } from '#src/service/http/access.ts';
import { type Bodies, createBodies } from '#src/service/http/bodies.ts';
import { anonymousLimit, createLimiter } from '#src/service/http/limit.ts';
import { createServer } from '#src/service/http/server.ts';
import { contextAt, filledArchive, now } from '../fixture.ts';

const key = `tocsin_${'0123456789abcdef'.repeat(4)}`;
const root = '/api/v1';

let archive: Archive;
let bodies: Bodies;
let site: string;
let ready: boolean;
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
  [ready, wallTime, broken, builds, logged] = [true, 0, undefined, 0, []];
  held = Promise.resolve();
  const wall: WallClock = { now: () => wallTime, sleep: async () => {} };
  const clock = marketClock(wall, { market: now, wall: 0, speed: 1 });
  bodies = createBodies({
    clock,
    feedsOf,
    build: async (name, query) => {
      builds += 1;
      await held;
      if (broken !== undefined) throw broken;
      return answerWith(handlers[name], query, await contextAt(archive, clock.now()));
    },
  });
  const server = createServer({
    bodies,
    access: createAccess([new Secret(key)]),
    limiter: createLimiter(anonymousLimit),
    clock,
    wall,
    ready: () => ready,
    progress: () => 0.41,
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

/** A path as it is, which fetch would tidy up. */
const raw = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(site).port), '127.0.0.1', () => socket.end(bytes));
    text(socket).then(resolve, reject);
  });

describe('errors are JSON objects with an error message', () => {
  const cases: [rule: string, path: string, status: number, error: string | RegExp, asked?: Asked][] = [
    [
      'hours above its bound',
      '/oi/momentum?hours=169',
      400,
      'hours must be a number above 0, at most 168; given: "169"',
    ],
    ['hours of 0', '/oi/momentum?hours=0', 400, 'hours must be a number above 0, at most 168; given: "0"'],
    ['hours that is no number', '/oi/momentum?hours=1e2', 400, /^hours must be a number .* given: "1e2"$/],
    ['hours left empty', '/oi/momentum?hours=', 400, /^hours must be .* given: ""$/],
    [
      'a limit above its bound',
      '/liquidations?limit=501',
      400,
      'limit must be an integer from 1 to 500; given: "501"',
    ],
    [
      'a limit with a fraction',
      '/liquidations?limit=1.5',
      400,
      'limit must be an integer from 1 to 500; given: "1.5"',
    ],
    [
      'a limit below 1',
      '/funding/history?limit=-1',
      400,
      'limit must be an integer from 1 to 1000; given: "-1"',
    ],
    [
      'since that is no timestamp',
      '/liquidations?since=yesterday',
      400,
      /^since must be an ISO 8601 timestamp/,
    ],
    ['a parameter given twice', '/oi/momentum?hours=1&hours=2', 400, 'hours may be given only once'],
    ['an unknown symbol', '/funding/history?symbol=NOPEUSDT', 400, 'Invalid symbol'],
    ['a malformed symbol', '/funding/history?symbol=%3Cscript%3E', 400, 'Invalid symbol'],
    ['an empty symbol', '/funding/history?symbol=', 400, 'Invalid symbol'],
    ['a symbol as filter', '/liquidations?symbol=NOPEUSDT', 400, 'Invalid symbol'],
    ['a long value, cut', `/oi/momentum?hours=${'9'.repeat(500)}`, 400, /given: "9{40}"$/],
    ['control characters, escaped', '/oi/momentum?hours=%00%1b[31m', 400, /given: "\\u0000\\u001b\[31m"$/],
    ['an unknown path', '/nothing', 404, 'Unknown path'],
    ['a path that climbs', '/%2e%2e/%2e%2e/etc/passwd', 404, 'Unknown path'],
    ['a trailing slash', '/regime/', 404, 'Unknown path'],
    ['a wrong method', '/regime', 405, 'Method not allowed: use GET', { method: 'POST', body: '{}' }],
    ['a wrong method with a body of any type', '/regime', 405, /^Method/, { method: 'PUT', body: 'x' }],
    ['a malformed escape', '/funding/history?symbol=%E0%A4%A', 400, 'Invalid symbol'],
    [
      'an unknown key',
      '/regime',
      401,
      'Unknown API key or session token',
      { headers: { 'x-api-key': 'tocsin_0' } },
    ],
    ['an empty key', '/regime', 401, 'Unknown API key or session token', { headers: { 'x-api-key': '' } }],
  ];
  it.each(cases)('%s', async (_rule, path, status, error, asked) => {
    const response = await get(`${root}${path}`, asked);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const body = (await response.json()) as { error: string };
    expect(Object.keys(body)).toEqual(['error']);
    if (typeof error === 'string') expect(body.error).toBe(error);
    else expect(body.error).toMatch(error);
  });

  it('a wrong method names the right one', async () => {
    expect((await get(`${root}/regime`, { method: 'DELETE' })).headers.get('allow')).toBe('GET, HEAD');
    expect((await get('/api/auth/login')).headers.get('allow')).toBe('POST');
  });

  it('a path outside the API root and a login not offered', async () => {
    expect((await get('/')).status).toBe(404);
    const login = await get('/api/auth/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'a@example.com', password: 'x' }),
    });
    expect([login.status, await login.json()]).toEqual([
      501,
      { error: 'Login is not offered by this service' },
    ]);
  });

  it('a bearer nobody knows', async () => {
    const response = await anonymous(`${root}/meta`, { headers: { authorization: 'Bearer x' } });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('bytes that are no HTTP, headers too large, an address too long', async () => {
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

  it('a failure of ours tells nothing of our inside', async () => {
    broken = new Error('SQLITE_CORRUPT at /srv/secret/archive.db');
    const response = await get(`${root}/funding/current`);
    expect(response.status).toBe(500);
    expect(await response.text()).toBe('{"error":"Internal error"}');
    expect(logged.join()).toContain('SQLITE_CORRUPT');
  });

  it('what is not loaded yet is 503 with Retry-After, /meta and /healthz excepted', async () => {
    ready = false;
    const response = await get(`${root}/funding/current`);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.json()).toEqual({ error: expect.stringContaining('41 %') });
    expect((await get('/readyz')).status).toBe(503);
    expect((await get('/healthz')).status).toBe(200);
    expect((await get(`${root}/meta`)).status).toBe(200);
  });
});

describe('300 requests per 15 minutes and address without a key', () => {
  const spend = async (count: number) => {
    for (let i = 0; i < count; i++) await (await anonymous(`${root}/nothing`)).arrayBuffer();
  };

  it('the 301st is refused with Retry-After until the window ends, any path under the root counts', async () => {
    await spend(299);
    wallTime = 5 * minute;
    expect((await anonymous(`${root}/meta`)).status).toBe(200);
    const refused = await anonymous(`${root}/meta`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '600']);
    expect(await refused.json()).toEqual({
      error: 'Too many requests: 300 per 15 minutes without an API key',
    });
    wallTime = 15 * minute;
    expect((await anonymous(`${root}/meta`)).status).toBe(200);
  });

  it('a key is outside it, an unknown key is not, nor are health and OpenAPI counted', async () => {
    for (let i = 0; i < 10; i++) await (await anonymous('/healthz')).arrayBuffer();
    await spend(300);
    expect((await get(`${root}/meta`)).status).toBe(200);
    expect((await anonymous('/healthz')).status).toBe(200);
    expect((await anonymous('/openapi.json')).status).toBe(200);
    expect((await anonymous(`${root}/meta`, { headers: { 'x-api-key': 'guess' } })).status).toBe(429);
  });
});

describe('bodies are kept until data changes or their cadence turns', () => {
  const path = `${root}/funding/history?symbol=ETHUSDT&limit=5`;

  it('one build for equal queries, defaults and unknown parameters however they are written', async () => {
    await Promise.all([
      get(`${root}/funding/history`),
      get(`${root}/funding/history?symbol=btcusdt&limit=100&_=1`),
      get(`${root}/funding/history?limit=100`),
    ]);
    expect(builds).toBe(1);
  });

  it('304 for the same tag, the body again once its data changed', async () => {
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

  it('built anew when the cadence turns, and after a failure', async () => {
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

const openApiText = z.object({ paths: z.record(z.string(), z.object({ get: z.looseObject({}) })) });

it('OpenAPI: every endpoint with its bounds and defaults', async () => {
  const { paths } = openApiText.parse(await (await get('/openapi.json')).json());
  expect(Object.keys(paths)).toEqual(Object.values(contract).map(({ path }) => path));
  expect(paths['/meta']?.get['x-extension']).toBe(true);
  expect(paths['/oi/momentum']?.get.parameters).toContainEqual(
    expect.objectContaining({
      name: 'hours',
      schema: expect.objectContaining({ default: 6, exclusiveMinimum: 0, maximum: 168 }),
    }),
  );
});

it('a stop finishes the answers under way', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  held = promise;
  const answer = get(`${root}/funding/current`);
  await vi.waitUntil(() => builds === 1, { interval: 1 });
  const closed = close();
  resolve();
  expect((await answer).status).toBe(200);
  await closed;
});
