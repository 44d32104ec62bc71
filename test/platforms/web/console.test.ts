import { brotliDecompressSync } from 'node:zlib';
import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import type { Card } from '#src/card/card.ts';
import { UserError } from '#src/language/errors.ts';
import type { Viewer } from '#src/platforms/web/ports/alert-feed.ts';
import { ConfigError } from '#src/runtime/errors.ts';
import { Secret } from '#src/runtime/secret.ts';
import { second } from '#src/runtime/units.ts';
import { operatorRights, viewerRights } from '#src/shell/rights.ts';
import { alertRow } from '#test/support/board.ts';
import { fakeClock } from '#test/support/clock.ts';
import {
  alertCard,
  botStatus,
  marketCard,
  noAlerts,
  startConsole,
  waveSeries,
} from '#test/support/console.ts';
import { readEvents } from '#test/support/events.ts';
import { jsonRequest } from '#test/support/json-request.ts';
import { memoryMessages } from '#test/support/messages.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function start(options: Parameters<typeof startConsole>[0] = {}) {
  const console = await startConsole(options);
  open.push(console.close);
  return console;
}

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  request(`${url}/api/commands`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe('the console', () => {
  it('responds to what monitoring and scripts ask for', async () => {
    const { url } = await start();
    const get = async (path: string) => (await request(url + path)).body.text();
    expect(await get('/healthz')).toBe('{"status":"ok"}');
    expect(await get('/readyz')).toBe('{"status":"ready","data":"stale"}');
    expect(await get('/metrics')).toBe('tocsin_up 1\n');
    expect(JSON.parse(await get('/api/status'))).toEqual(botStatus);
    expect(JSON.parse(await get('/api/alerts'))).toEqual([{ id: 'a-1' }]);
    expect(JSON.parse(await get('/api/deliveries'))).toEqual([]);
    expect(JSON.parse(await get('/api/complete?line=ma'))).toMatchObject([{ line: 'market ' }]);
  });

  it('returns the past of a metric, and refuses what cannot be drawn', async () => {
    const asked: Parameters<typeof waveSeries>[0][] = [];
    const { url } = await start({
      series(of, caller) {
        asked.push(of);
        return waveSeries(of, caller);
      },
    });
    const get = async (query: string) => {
      const { statusCode, body } = await request(`${url}/api/series?${query}`);
      return [statusCode, await body.json()] as [number, Record<string, unknown>];
    };
    const [code, series] = await get('metric=funding.z&symbol=ethusdt&days=3');
    expect([code, series]).toMatchObject([200, { unit: '%' }]);
    expect(asked).toEqual([{ metric: 'funding.z', symbol: 'ETHUSDT', days: 3 }]);
    expect((await get('symbol=BTCUSDT'))[0]).toBe(400);
    expect((await get('metric=funding.z&days=31'))[0]).toBe(400);
  });

  it.each<[string, Parameters<typeof startConsole>[0], object]>([
    [
      'before the bot is',
      { ready: () => ({ started: false, refusedPlatforms: [] }) },
      { status: 'starting' },
    ],
    [
      'while a platform has refused its token, and names the platform',
      { ready: () => ({ started: true, refusedPlatforms: ['telegram'] }) },
      { status: 'refused', refused: ['telegram'] },
    ],
    [
      'while its database is lost, and says the remedy',
      {
        ready: () => ({ started: true, refusedPlatforms: [], databaseProblem: 'it was deleted: restore it' }),
      },
      { status: 'database lost', problem: 'it was deleted: restore it' },
    ],
    [
      'while test alerts do not arrive',
      { status: async () => ({ ...botStatus, canary: { last: 1_000, late: true } }) },
      { status: 'alerts do not arrive', lastTestAlert: 1_000 },
    ],
    [
      'while a role has no holder, and names the role',
      {
        roles: async () => [
          { role: 'watch', held: true },
          { role: 'deliver:telegram', held: false },
        ],
      },
      { status: 'roles without a process', roles: ['deliver:telegram'] },
    ],
  ])('is not ready %s', async (_, options, said) => {
    const { url } = await start(options);
    const { statusCode, body } = await request(`${url}/readyz`);
    expect([statusCode, await body.json()]).toEqual([503, said]);
  });

  it('takes for a draft whatever an alert of the chat may have: a long condition, many markets', async () => {
    const { url } = await start();
    const markets = Array.from({ length: 100 }, (_, n) => `COIN${n}USDT`).join();
    const when = `funding.z > 1 ${'|| funding.z > 2 '.repeat(29)}`.trim();
    const draft = new URLSearchParams({ when, symbols: markets });
    expect((await request(`${url}/api/rules/draft?${draft}`)).statusCode).toBe(200);
  });

  it('is not ready while its database fails or does not respond for a second', async () => {
    const clock = fakeClock();
    for (const roles of [() => Promise.reject(new Error('away')), () => new Promise<never>(() => {})]) {
      const { url } = await start({ roles, wall: clock });
      const asked = request(`${url}/readyz`);
      const stop = setInterval(() => void clock.advance(second), 20);
      const { statusCode, body } = await asked;
      clearInterval(stop);
      expect([statusCode, await body.json()]).toEqual([503, { status: 'no database' }]);
    }
  });

  it.each([
    ['stale', { feeds: [{ name: 'funding', fresh: false }] }],
    ['stale', { feeds: [], away: {} }],
    ['fresh', { feeds: [{ name: 'funding', fresh: true }] }],
  ])('is ready with %s data, and says so', async (data, given) => {
    const { url } = await start({ status: async () => ({ ...botStatus, ...given }) });
    const { statusCode, body } = await request(`${url}/readyz`);
    expect([statusCode, await body.json()]).toEqual([200, { status: 'ready', data }]);
  });

  it('serves the built page compressed and under a strict policy', async () => {
    const { url } = await start();
    const page = await request(`${url}/`);
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.headers['content-security-policy']).not.toContain('unsafe');
    expect(page.headers['x-content-type-options']).toBe('nosniff');
    const html = await page.body.text();
    const [path = ''] = html.match(/\/assets\/[^"]+\.js/) ?? [];
    const plain = await request(url + path);
    expect(plain.headers['content-type']).toContain('text/javascript');
    expect(plain.headers['cache-control']).toContain('immutable');
    const packed = await request(url + path, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(packed.headers['content-encoding']).toBe('br');
    const unpacked = brotliDecompressSync(Buffer.from(await packed.body.arrayBuffer()));
    expect(unpacked.toString()).toBe(await plain.body.text());
    for (const missing of [
      '/tsconfig.json',
      '/..%2f..%2fpackage.json',
      '/assets/..%2findex.html',
      '/assets/main.tsx',
    ])
      expect([missing, (await request(url + missing)).statusCode]).toEqual([missing, 404]);
  });

  it('serves the page at the path of every view', async () => {
    const { url } = await start();
    const get = async (path: string) => (await request(url + path)).body.text();
    const page = await get('/');
    for (const view of ['/alerts', '/alerts/0123456789abcdef-lx2k', '/chat', '/health'])
      expect(await get(view)).toBe(page);
  });

  it('runs a command for a room, responds with the message and shows it in the room', async () => {
    const { url, asked } = await start();
    const stream = await readEvents(`${url}/api/events?room=desk`);
    open.push(stream.close);
    await stream.next('snapshot');
    const response = await post(url, {
      line: ' market ',
      room: 'desk',
      timeZone: 'Europe/Berlin',
      id: 'abcdefgh',
    });
    const message = await response.body.json();
    expect(message).toMatchObject({
      id: 'command-abcdefgh',
      line: 'market',
      card: { title: marketCard.title },
    });
    expect(JSON.parse((await stream.next('message')).data)).toEqual(message);
    expect(asked).toEqual([
      {
        line: 'market',
        caller: {
          receiver: { notifier: 'web', address: { room: 'desk' } },
          user: 'console',
          rights: operatorRights,
          language: 'en',
          timeZone: 'Europe/Berlin',
        },
      },
    ]);
  });

  it('renders alerts in the time zone of each listening page', async () => {
    const rows = async ({ reader }: Viewer) => [alertRow('a1', { title: reader.timeZone })];
    const { url } = await start({ feed: { ...noAlerts, page: rows, changed: rows } });
    const zones = ['Asia/Tokyo', 'Europe/Berlin'];
    const streams = await Promise.all(
      zones.map((zone) => readEvents(`${url}/api/events?${new URLSearchParams({ timeZone: zone })}`)),
    );
    open.push(...streams.map(({ close }) => close));
    for (const event of ['alerts', 'alert']) {
      const told = await Promise.all(streams.map(({ next }) => next(event)));
      expect(told.map(({ data }) => JSON.parse(data)[0].title)).toEqual(zones);
    }
  });

  it('sends an answer with a pending preview first and edits it for everyone in the room', async () => {
    const whole = Promise.withResolvers<Card<string>>();
    const messages = memoryMessages();
    const { url } = await start({
      messages,
      ask: async () => ({ title: 'Checking', later: whole.promise }),
    });
    const stream = await readEvents(`${url}/api/events`);
    open.push(stream.close);
    await stream.next('snapshot');
    const first = await (await post(url, { line: 'subscribe', id: 'abcdefgh' })).body.json();
    expect(first).toMatchObject({ card: { title: 'Checking' }, edited: false });
    expect(JSON.parse((await stream.next('message')).data)).toEqual(first);
    whole.resolve({ title: 'Checked' });
    const edited = JSON.parse((await stream.next('message')).data);
    expect(edited).toMatchObject({
      id: 'command-abcdefgh',
      line: 'subscribe',
      edited: true,
      card: { title: 'Checked' },
    });
    expect((await messages.recent('main', 9)).map(({ body }) => JSON.parse(body))).toEqual([edited]);
  });

  it('shows past messages after a restart, each once, in its latest version and original position', async () => {
    const messages = memoryMessages();
    const before = await start({ messages });
    await before.publish({ id: 'one', room: 'main', card: alertCard, edited: false });
    await before.publish({ id: 'two', room: 'main', card: marketCard, edited: false });
    await before.publish({ id: 'one', room: 'main', card: { title: 'over' }, edited: true });
    await before.close();
    const after = await start({ messages });
    const stream = await readEvents(`${after.url}/api/events`);
    open.push(stream.close);
    const past = JSON.parse((await stream.next('snapshot')).data);
    expect(past).toMatchObject([{ id: 'one', edited: true, card: { title: 'over' } }, { id: 'two' }]);
  });

  it('does not show a message that cannot be stored, and its sender gets the error', async () => {
    const { publish } = await start({
      messages: { ...memoryMessages(), put: () => Promise.reject(new Error('disk full')) },
    });
    await expect(publish({ id: 'one', room: 'main', card: alertCard, edited: false })).rejects.toThrow(
      'disk full',
    );
  });

  it.each([
    ['no line', {}, {}, 400],
    ['an empty line', { line: '  ' }, {}, 400],
    ['a line too long', { line: 'x'.repeat(4_001) }, {}, 400],
    ['a room that is none', { line: 'help', room: '../x' }, {}, 400],
    ['a time zone that is none', { line: 'help', timeZone: 'Mars/Base' }, {}, 400],
    ['JSON that is none', '{"line":', {}, 400],
    ['a body too large', JSON.stringify({ line: 'x'.repeat(20_000) }), {}, 413],
    ['a form', 'line=help', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['plain text, which needs no preflight', '{"line":"help"}', { 'content-type': 'text/plain' }, 415],
    ['another site', { line: 'help' }, { origin: 'https://evil.example' }, 403],
    ['a rebound name', { line: 'help' }, { host: 'evil.example' }, 403],
  ])('refuses %s with a JSON error and runs nothing', async (_case, body, headers, status) => {
    const { url, asked } = await start();
    const response = await post(url, body, headers);
    expect(response.statusCode).toBe(status);
    expect(await response.body.json()).toEqual({ error: expect.any(String) });
    expect(asked).toEqual([]);
  });

  it('logs an internal failure completely and reports it without a stack', async () => {
    const { url, log } = await start({ status: () => Promise.reject(new Error('at secret.ts:1 token-123')) });
    const response = await request(`${url}/api/status`);
    expect(response.statusCode).toBe(500);
    expect(await response.body.text()).not.toMatch(/secret|token|at /);
    expect(log).toHaveLength(1);
  });

  it('reports a user’s mistake in its own words', async () => {
    const { url } = await start({ ask: () => Promise.reject(new UserError('try /help')) });
    const response = await post(url, { line: 'x' });
    expect([response.statusCode, await response.body.json()]).toEqual([400, { error: 'try /help' }]);
  });

  it('reports a port in use as a configuration error with its remedy', async () => {
    const { url } = await start();
    const second = start({ port: Number(new URL(url).port) });
    await expect(second).rejects.toThrow(ConfigError);
    await expect(second).rejects.toThrow(/TOCSIN_HTTP_PORT/);
  });

  it('ends open streams at once when it closes', async () => {
    const { url, close } = await start();
    const stream = await readEvents(`${url}/api/events`);
    await close();
    await stream.closed;
  });
});

describe('a console with a token', () => {
  const token = 'a-token-of-the-operator';
  const secured = () => start({ token: new Secret(token), hosts: ['tocsin.example'] });
  const enter = (url: string, given: string, headers: Record<string, string> = {}) =>
    request(`${url}/api/login`, jsonRequest('POST', { token: given }, headers));

  it.each([
    '/api/status',
    '/api/alerts',
    '/api/deliveries',
    '/api/complete?line=ma',
    '/api/events',
    '/metrics',
    '/%61pi/status',
    '/api/%73tatus',
    '/%6Detrics',
    '/nowhere',
  ])('refuses %s without the token', async (path) => {
    const { url } = await secured();
    for (const headers of [
      {},
      { authorization: 'Bearer another' },
      { cookie: 'tocsin=' },
      { cookie: token },
    ]) {
      const { statusCode, body } = await request(url + path, { headers });
      expect(statusCode).toBe(401);
      expect(await body.text()).not.toContain(token);
    }
  });

  it('slows wrong tokens by address, but nobody who has been right before', async () => {
    const { url } = await secured();
    const right = { authorization: `Bearer ${token}` };
    expect((await request(`${url}/api/status`, { headers: right })).statusCode).toBe(200);
    const statuses: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      statuses.push((await enter(url, `wrong-${n}`)).statusCode);
      const headers = { authorization: `Bearer wrong-${n}` };
      statuses.push((await request(`${url}/api/status`, { headers })).statusCode);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
    const refused = await enter(url, 'wrong');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await request(`${url}/api/status`, { headers: right })).statusCode).toBe(200);
    expect((await enter(url, token)).statusCode).toBe(200);
  });

  it('does not take the secret of a hook or of a probe for a guess', async () => {
    const { url } = await secured();
    const headers = { authorization: 'Bearer the-secret-of-a-hook', 'content-type': 'application/json' };
    for (let n = 0; n < 15; n += 1) {
      expect((await request(`${url}/healthz`, { headers })).statusCode).toBe(200);
      const posted = await request(`${url}/hooks/abcd2345`, { method: 'POST', headers, body: '{}' });
      expect(posted.statusCode).not.toBe(429);
    }
    expect((await enter(url, token)).statusCode).toBe(200);
  });

  it('runs no command without it', async () => {
    const { url, asked } = await secured();
    expect((await post(url, { line: 'pause' })).statusCode).toBe(401);
    expect(asked).toEqual([]);
    expect((await post(url, { line: 'pause' }, { authorization: `Bearer ${token}` })).statusCode).toBe(200);
    expect(asked).toHaveLength(1);
  });

  it('reports its health without the token, and serves a page that asks for it', async () => {
    const { url } = await secured();
    for (const path of ['/healthz', '/readyz', '/chat', '/alerts'])
      expect((await request(url + path)).statusCode).toBe(200);
    expect(await (await request(url)).body.text()).toContain('id="login"');
  });

  it('sets a cookie that no script can read and no other site sends', async () => {
    const { url } = await secured();
    expect((await enter(url, 'another')).statusCode).toBe(401);
    const { headers } = await enter(url, token);
    const [cookie = '', ...attributes] = String(headers['set-cookie']).split('; ');
    expect(attributes).toEqual([
      'Path=/',
      expect.stringMatching(/^Max-Age=\d+$/),
      'HttpOnly',
      'SameSite=Strict',
    ]);
    expect(cookie).not.toContain(token);
    expect((await request(`${url}/api/status`, { headers: { cookie } })).statusCode).toBe(200);
    expect(await (await request(url, { headers: { cookie } })).body.text()).toContain('id="app"');
  });

  it('sets it for TLS alone if the page is reached by TLS through a proxy that says so', async () => {
    const { url } = await secured();
    const behind = { host: 'tocsin.example', origin: 'https://tocsin.example' };
    const { headers } = await enter(url, token, behind);
    expect(String(headers['set-cookie'])).toContain('; Secure');
    const [cookie = ''] = String(headers['set-cookie']).split('; ');
    expect(cookie).toMatch(/^__Host-tocsin=/);
    expect((await post(url, { line: 'help' }, { ...behind, cookie })).statusCode).toBe(200);
  });

  it('answers what a view asks with a viewer’s rights, whoever looks, and posts nothing in the room', async () => {
    const messages = memoryMessages();
    const { url, asked } = await start({ messages });
    const answer = await request(`${url}/api/answers?line=${encodeURIComponent('forget place confirm=yes')}`);
    expect(await answer.body.json()).toMatchObject({
      card: { title: 'You said forget place confirm=yes' },
      refused: false,
    });
    expect(asked.map(({ caller }) => caller.rights)).toEqual([viewerRights]);
    expect(await messages.recent('main', 10)).toEqual([]);
  });

  it('lets the viewer’s token read and ask, and marks its holder as one who changes nothing', async () => {
    const viewerToken = 'a-token-of-viewers';
    const { url, asked } = await start({ token: new Secret(token), viewerToken: new Secret(viewerToken) });
    const { headers } = await enter(url, viewerToken);
    const [cookie = ''] = String(headers['set-cookie']).split('; ');
    const page = await (await request(url, { headers: { cookie } })).body.text();
    expect(page).toContain('<meta name="access" content="viewer">');
    expect((await request(`${url}/api/status`, { headers: { cookie } })).statusCode).toBe(200);
    await post(url, { line: 'market' }, { cookie, origin: url });
    await post(url, { line: 'market' }, { authorization: `Bearer ${viewerToken}` });
    await post(url, { line: 'market' }, { authorization: `Bearer ${token}` });
    expect(asked.map(({ caller }) => caller.rights)).toEqual([viewerRights, viewerRights, operatorRights]);
  });

  it('accepts a command with the cookie only if the request names its origin', async () => {
    const { url, asked } = await secured();
    const [cookie = ''] = String((await enter(url, token)).headers['set-cookie']).split('; ');
    expect((await post(url, { line: 'pause' }, { cookie })).statusCode).toBe(403);
    expect(asked).toEqual([]);
    expect((await post(url, { line: 'pause' }, { cookie, origin: url })).statusCode).toBe(200);
  });

  it('removes the cookie under both names at logout', async () => {
    const { url } = await secured();
    const asked = jsonRequest('POST', {}, { authorization: `Bearer ${token}` });
    const { headers } = await request(`${url}/api/logout`, asked);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^tocsin=; .*Max-Age=0/),
      expect.stringMatching(/^__Host-tocsin=; .*Max-Age=0.*; Secure$/),
    ]);
  });

  it.each([
    [{ origin: 'https://evil.example' }],
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ host: 'evil.example' }],
  ])('accepts neither token nor cookie from another site: %o', async (foreign) => {
    const { url, asked } = await secured();
    expect((await enter(url, token, foreign)).statusCode).toBe(403);
    const [cookie = ''] = String((await enter(url, token)).headers['set-cookie']).split('; ');
    expect((await post(url, { line: 'pause' }, { cookie, ...foreign })).statusCode).toBe(403);
    expect(asked).toEqual([]);
  });
});

it.each(['/api/status', '/%61pi/status', '/api/%73tatus', '/ap%69/status'])(
  'percent-encoded paths are guarded as well: %s',
  async (path) => {
    const { url } = await start();
    const foreign = await request(url + path, { headers: { 'sec-fetch-site': 'cross-site' } });
    expect(foreign.statusCode).toBe(403);
    const own = await request(url + path);
    expect([own.statusCode, own.headers['cache-control']]).toEqual([200, 'no-store']);
  },
);

describe('the page’s language', () => {
  const page = async (acceptLanguage: string, options: Parameters<typeof startConsole>[0] = {}) => {
    const { url } = await start(options);
    const response = await request(url, { headers: { 'accept-language': acceptLanguage } });
    return response.body.text();
  };

  it.each([
    ['as the browser asks', 'es-MX,es;q=0.9,en;q=0.8', '<html lang="es">', 'Todavía no ha pasado nada'],
    ['in the first language it has', 'fr-CH, zh-CN;q=0.9, es;q=0.8', '<html lang="zh">', '暂无动静'],
    [
      'in English where it has none of them',
      'fr, *;q=0.5',
      '<html lang="en">',
      'This page needs JavaScript.',
    ],
  ])('is chosen from the browser’s: %s', async (_, header, lang, words) => {
    const html = await page(header);
    expect(html).toContain(lang);
    expect(html).toContain(words);
    expect(html).not.toContain('{{');
  });

  it('is the one that its room has chosen, before the browser’s', async () => {
    const html = await page('es', { reader: async () => ({ language: 'zh', timeZone: 'UTC' }) });
    expect(html).toContain('<html lang="zh">');
  });
});
