import type { RequestListener } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { read } from '#src/client/read.ts';
import { contract, type Endpoint } from '#src/contract/index.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { clientOf, json, regime, serve, token } from './service.ts';

const send =
  (status: number, headers: Record<string, string>, body: string): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
const type = { 'content-type': 'application/json' };

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'answered',
    (error: unknown) => error,
  );

const malformed = (says: RegExp) => ({ reason: 'malformed' as const, message: expect.stringMatching(says) });

describe('a misbehaving service causes an ApiError', () => {
  test.each<[string, RequestListener, Partial<ApiError>]>([
    ['a body over the limit', json(`"${'x'.repeat(200_000)}"`), malformed(/larger than \d+ bytes/)],
    ['HTML', send(200, { 'content-type': 'text/html' }, '<html>'), malformed(/not JSON by its content type/)],
    ['HTML that calls itself JSON', send(200, type, '<html>'), malformed(/not JSON, or only part of it/)],
    ['truncated JSON', send(200, type, '{"regime":"MARK'), malformed(/not JSON, or only part of it/)],
    ['an empty body', send(200, type, ''), { reason: 'malformed' }],
    ['deep nesting', send(200, type, '['.repeat(50_000)), { reason: 'malformed' }],
    ['a wrong type', json({ ...regime, score: '1' }), { reason: 'malformed', field: 'score' }],
    ['a missing field', json({ regime: 'MARKUP', score: 1 }), { reason: 'malformed', field: 'confidence' }],
    ['null', json(null), { reason: 'malformed' }],
    ['no content', send(204, {}, ''), { reason: 'malformed' }],
    ['a redirect', send(302, { location: 'http://127.0.0.1:1/' }, ''), { reason: 'malformed' }],
    ['400', json({ error: 'Invalid symbol' }, 400), { reason: 'invalid_request' }],
    ['404', json({ error: 'Not found' }, 404), { reason: 'invalid_request' }],
    ['an error with 200', json({ error: 'Invalid symbol' }), { reason: 'invalid_request' }],
    ['401', json({ error: 'no' }, 401), { reason: 'unauthorized' }],
    ['403', json({ error: 'no' }, 403), { reason: 'unauthorized' }],
    ['501', json({ error: 'later' }, 501), { reason: 'not_offered' }],
    ['500', json({ error: 'oops' }, 500), { reason: 'server_error' }],
    ['502 as HTML', send(502, { 'content-type': 'text/html' }, '<html>'), { reason: 'server_error' }],
    ['429', json({ error: 'slow down' }, 429), { reason: 'rate_limited' }],
    ['a connection cut at once', (request) => request.socket.destroy(), { reason: 'unreachable' }],
    [
      'a body cut half-way',
      (_request, response) => {
        response.writeHead(200, { ...type, 'content-length': '100' });
        response.write('{"regime"');
        setImmediate(() => response.destroy());
      },
      { reason: 'unreachable' },
    ],
    [
      'a header that is no HTTP',
      (request) => {
        request.socket.end('SSH-2.0-OpenSSH\r\n\r\n');
      },
      { reason: 'unreachable' },
    ],
  ])('%s', async (_rule, answer, expected) => {
    const { baseUrl } = await serve(answer);
    const error = await failure(clientOf(baseUrl).polls.regime());
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ endpoint: '/regime', ...expected });
  });

  test.each<[string, RequestListener]>([
    ['before its headers', () => {}],
    ['within its body', (_request, response) => void response.writeHead(200, type).write('{')],
    [
      'drop by drop',
      (_request, response) => {
        response.writeHead(200, type);
        const drops = setInterval(() => response.write(' '), 10);
        response.on('close', () => clearInterval(drops));
      },
    ],
  ])('it hangs %s', async (_where, answer) => {
    const { baseUrl } = await serve(answer);
    const client = clientOf(baseUrl, {
      wall: wallClock,
      random: () => 0,
      timeouts: { attempt: 60, patience: 0 },
    });
    expect(await failure(client.polls.regime())).toMatchObject({ reason: 'unreachable' });
  });

  test('nobody listens', async () => {
    const error = await failure(clientOf('http://127.0.0.1:1/api/v1').polls.regime());
    expect(error).toMatchObject({ reason: 'unreachable', message: expect.stringContaining('ECONNREFUSED') });
  });
});

describe('tolerant reading', () => {
  test('accepts unknown fields and labels, and a missing optional part', async () => {
    const overview = {
      coins: [],
      regime: 'CAPITULATION',
      timestamp: '2026-01-01T00:00:00.000Z',
      extra: { a: 1 },
    };
    const { baseUrl } = await serve(json(overview));
    expect(await clientOf(baseUrl).polls.marketOverview()).toEqual({
      coins: [],
      regime: 'CAPITULATION',
      timestamp: '2026-01-01T00:00:00.000Z',
    });
  });

  test.each([
    ['with a byte order mark', 'application/json', '\ufeff'],
    ['as text', 'text/plain', ''],
  ])('JSON is read if it comes %s', async (_, contentType, mark) => {
    const { baseUrl } = await serve(
      send(200, { 'content-type': contentType }, mark + JSON.stringify(regime)),
    );
    expect(await clientOf(baseUrl).polls.regime()).toEqual(regime);
  });

  test.each<[string, object]>([
    ['open interest of nothing', { oi: 0, ratePct: -100 }],
    ['a number that is none', { oi: null }],
    ['a fall by more than all', { ratePct: -101 }],
    ['a row that is none', { timestamp: 'now' }],
  ])('an odd row costs that row, and is counted: %s', async (_, odd) => {
    const first = { timestamp: '2026-01-01T00:00:00.000Z', oi: 1_000, ratePct: 0.1, accelerationPct: 0 };
    const row = { ...first, timestamp: '2026-01-01T00:05:00.000Z' };
    const last = { ...row, timestamp: '2026-01-01T00:10:00.000Z', ...odd };
    const answer = {
      ...{ symbol: 'BTCUSDT', data: [first, row, last], dataPoints: 3, current: last },
      ...{ avgRatePct: 0, maxAcceleration: 0, signal: 'RAPID_UNWIND' },
    };
    const refused: unknown[] = [];
    const { baseUrl } = await serve(json(answer));
    const onRefused = (...told: unknown[]) => refused.push(told);
    const { current: __, ...rest } = answer;
    expect(await clientOf(baseUrl, { onRefused }).polls.oiMomentum()).toEqual({
      ...rest,
      data: [first, row],
    });
    expect(refused).toEqual([['/oi/momentum', 2]]);
  });

  test('a list of which most rows are odd is no answer', async () => {
    const coin = { symbol: 'BTCUSDT', price: 1, signal: 0, funding: 0, master: 50 };
    const coins = [coin, { ...coin, price: 0 }, { ...coin, price: -1 }];
    const overview = { coins, regime: 'MARKUP', timestamp: '2026-01-01T00:00:00.000Z' };
    const { baseUrl } = await serve(json(overview));
    await expect(clientOf(baseUrl).polls.marketOverview()).rejects.toMatchObject({
      reason: 'malformed',
      field: 'coins.1.price',
    });
  });

  test('treats a missing extension as not offered', async () => {
    const { baseUrl } = await serve(json({ error: 'Not found' }, 404));
    await expect(clientOf(baseUrl).polls.meta()).rejects.toMatchObject({ reason: 'not_offered' });
  });

  test('does not send an invalid query', async () => {
    const { baseUrl, asked } = await serve(json({}));
    const error = await failure(clientOf(baseUrl).questions({ chat: 'hers' }).oi({ symbol: 'BTC/USDT' }));
    expect(error).toMatchObject({ reason: 'invalid_request', field: 'symbol' });
    expect(asked).toEqual([]);
  });

  test('turns the service’s words into one clean, short line', async () => {
    const { baseUrl } = await serve(json({ error: `Bad\r\n\u001b[31m\u202e${'x'.repeat(9_000)}` }, 400));
    const { message } = (await failure(clientOf(baseUrl).polls.regime())) as ApiError;
    expect(message).toMatch(/^\/regime: the request was refused \(400\): Bad \[31m x+$/);
    expect(message.length).toBeLessThan(300);
  });
});

test('the token is sent, and is in no error, whatever the service echoes', async () => {
  const echoes: RequestListener[] = [
    json({ error: `unknown key ${token}` }, 401),
    json({ error: `${'x'.repeat(180)}${token}` }, 400),
    json({ error: token }, 429),
    json(`{"regime": ${token}}`),
    json({ regime: 'A', confidence: token, score: 1 }),
  ];
  for (const echo of echoes) {
    const { baseUrl, headers } = await serve(echo);
    const error = await failure(clientOf(baseUrl).polls.regime());
    expect(headers[0]).toMatchObject({ 'x-api-key': token });
    const { inspect } = await import('node:util');
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(token.slice(0, 12));
  }
});

test('no status, content type or body leads to anything but an ApiError or a valid response', () => {
  const status = fc.oneof(fc.constant(200), fc.integer({ min: 100, max: 599 }));
  const contentType = fc.option(fc.oneof(fc.constant('application/json'), fc.string()), { nil: undefined });
  const bytes = fc.oneof(
    fc.uint8Array().map((array) => Buffer.from(array).toString('utf8')),
    fc.json(),
    fc.anything().map((value) => String(JSON.stringify(value))),
    fc.string().map((error) => JSON.stringify({ error })),
  );
  fc.assert(
    fc.property(
      fc.constantFrom<Endpoint[]>(...Object.values(contract)),
      status,
      contentType,
      bytes,
      (endpoint, code, header, body) => {
        const raw = { status: code, contentType: header, retryAfter: undefined, body };
        try {
          const answer = read(endpoint, { raw, retryAfter: undefined, redact: (text) => text });
          expect(endpoint.answer.safeParse(answer).success).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
          expect((error as Error).message).not.toMatch(/\p{Cc}/u);
        }
      },
    ),
    { numRuns: 2_000 },
  );
});
