import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { wallClock } from '#src/runtime/clock.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { openUpstream, type Upstream, type UpstreamOptions } from '#src/service/exchanges/upstream.ts';
import { patience } from '#test/support/patience.ts';

let respond: RequestListener;
let asked: string[];
let url: string;
let ending: AbortController;
let upstream: Upstream;

const open = (options: Partial<UpstreamOptions> = {}) =>
  openUpstream({ name: 'binance', url, wall: wallClock, signal: ending.signal, ...options });

beforeEach(async () => {
  asked = [];
  ending = new AbortController();
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  upstream = open();
  return async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
});
afterEach(() => upstream.close());

const answer =
  (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
  };
const price = z.object({ price: z.string() });
const failure = (path = '/fapi/v1/x') =>
  upstream.get(path, { schema: price }).then(
    () => undefined,
    (error: unknown) => error,
  );

describe('an exchange that fails is one clear error', () => {
  it.each<[string, RequestListener, string, RegExp]>([
    [
      '429 says when',
      answer(429, '{"code":-1003,"msg":"Too many requests"}', { 'retry-after': '7' }),
      'rate_limited',
      /Too many requests.*7 s/,
    ],
    ['418 is a ban', answer(418, '', { 'retry-after': '120' }), 'rate_limited', /banned.*120 s/],
    ['451 is the country', answer(451, '<html>'), 'unauthorized', /HTTP 451.*country.*another venue/],
    ['403 is the firewall', answer(403, '<html>'), 'unauthorized', /HTTP 403.*firewall/],
    [
      '400 with its words',
      answer(400, '{"code":-1121,"msg":"Invalid symbol."}'),
      'invalid_request',
      /Invalid symbol/,
    ],
    ['503', answer(503, 'Service Unavailable'), 'server_error', /HTTP 503/],
    [
      '408, its own timeout',
      answer(408, '{"code":-1007,"msg":"Timeout waiting for response from backend server."}'),
      'server_error',
      /HTTP 408 \(Timeout/,
    ],
    ['404 of a CDN', answer(404, '<html>'), 'server_error', /HTTP 404/],
    ['a redirect to a maintenance page', answer(302, '', { location: '/m' }), 'server_error', /HTTP 302/],
    ['202, a firewall’s challenge', answer(202, '<html>'), 'server_error', /HTTP 202/],
    ['HTML', answer(200, '<!doctype html><p>hello'), 'malformed', /HTML/],
    ['half a JSON', answer(200, '{"price": "1'), 'malformed', /not JSON/],
    ['a changed field type', answer(200, '{"price": 1}'), 'malformed', /field "price"/],
    ['a missing field', answer(200, '{}'), 'malformed', /field "price"/],
    [
      'a body without end',
      (_, response) => void response.end('x'.repeat(17 * 1024 * 1024)),
      'malformed',
      /16 MB/,
    ],
    ['a cut connection', (request) => void request.socket.destroy(), 'unreachable', /no answer/],
    [
      'a body cut short',
      (request, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{"price"', () => request.socket.destroy());
      },
      'unreachable',
      /no answer/,
    ],
  ])('%s', async (_, listener, reason, text) => {
    respond = listener;
    const error = await failure();
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      reason,
      endpoint: 'binance /fapi/v1/x',
      message: expect.stringMatching(text),
    });
  });

  it('nothing is requested after 429 until the time it names; the error counts down', async () => {
    let now = 0;
    upstream = open({ wall: { ...wallClock, now: () => now } });
    respond = answer(429, '', { 'retry-after': '30' });
    await failure();
    respond = answer(200, '{"price":"1"}');
    now = 29_000;
    expect(await failure('/other')).toMatchObject({ reason: 'rate_limited', retryAfter: 1_000 });
    now = 30_000;
    expect(await failure()).toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  it('requests that wait for a free connection are not sent into the pause', async () => {
    respond = answer(418, '', { 'retry-after': '120' });
    const errors = await Promise.all(Array.from({ length: 60 }, (_, number) => failure(`/${number}`)));
    for (const error of errors) expect(error).toMatchObject({ reason: 'rate_limited' });
    expect(asked.length).toBeLessThanOrEqual(16);
  });

  it('a used-up quota is waited for, counted by the header if there is one', async () => {
    let now = 0;
    const slept: number[] = [];
    upstream = open({
      wall: {
        now: () => now,
        sleep: async (ms) => {
          slept.push(ms);
          now += ms;
        },
      },
      pools: [
        {
          name: 'weight',
          covers: (path) => path.startsWith('/fapi'),
          limit: 100,
          per: 60_000,
          usedHeader: 'x-used',
        },
      ],
    });
    respond = answer(200, '{"price":"1"}', { 'x-used': '99' });
    await upstream.get('/fapi/v1/x', { schema: price });
    await upstream.get('/futures/data/x', { schema: price });
    expect(slept).toEqual([]);
    await upstream.get('/fapi/v1/x', { schema: price });
    expect(slept).toEqual([60_000]);
  });

  it.each<[string, RequestListener]>([
    ['never begins', () => {}],
    ['stops in the middle', (_, response) => void response.write('{"price"')],
  ])('a response that %s is given up in time', async (_, listener) => {
    await upstream.close();
    upstream = open({ timeout: 50 });
    respond = listener;
    expect(await failure()).toMatchObject({ reason: 'unreachable', endpoint: 'binance /fapi/v1/x' });
  });

  it('stopping ends what hangs with the signal’s own reason', async () => {
    respond = () => queueMicrotask(() => ending.abort(new Error('stopped')));
    expect(await failure()).toMatchObject({ message: 'stopped' });
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('%s is accepted and decompressed; half of it is a failure', async (encoding, pack) => {
    const packed = pack('{"price":"1"}');
    let accepted: string | undefined;
    respond = (request, response) => {
      accepted = String(request.headers['accept-encoding']);
      response.writeHead(200, { 'content-encoding': encoding }).end(packed);
    };
    expect(await upstream.get('/x', { schema: price })).toEqual({ price: '1' });
    expect(accepted).toContain(encoding);
    respond = (_, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(packed.subarray(0, -6));
    };
    expect(await failure()).toMatchObject({ reason: 'unreachable' });
  });

  it('decompression that does not end is cut off', async () => {
    respond = (_, response) => {
      response
        .writeHead(200, { 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.alloc(20 * 1024 * 1024, ' ')));
    };
    expect(await failure()).toMatchObject({ reason: 'malformed', message: expect.stringMatching(/16 MB/) });
  });

  it('parameters are sent as given, undefined ones are not', async () => {
    respond = answer(200, '{"price":"1"}');
    await upstream.get('/x', { schema: price, query: { symbol: 'A&B', limit: 5, from: undefined } });
    expect(asked).toEqual(['/x?symbol=A%26B&limit=5']);
  });
});

describe('simultaneous requests', () => {
  const held: (() => void)[] = [];
  beforeEach(() => {
    held.length = 0;
    respond = (_, response) => void held.push(() => response.end('{"price":"1"}'));
  });
  const get = (path: string, category: string) => upstream.get(path, { schema: price, query: { category } });
  const arrived = (count: number) =>
    vi.waitFor(() => expect(held).toHaveLength(count), { timeout: patience, interval: 1 });
  const answerAll = () => {
    for (const answer of held.splice(0)) answer();
  };

  it('for the same URL are sent once, and again only after the response', async () => {
    const several = [
      get('/tickers', 'linear'),
      upstream.get('/tickers', { schema: z.object({}), query: { category: 'linear' } }),
      get('/tickers', 'spot'),
    ];
    await arrived(2);
    answerAll();
    expect(await Promise.all(several)).toEqual([{ price: '1' }, {}, { price: '1' }]);
    const again = get('/tickers', 'linear');
    await arrived(1);
    answerAll();
    await again;
    expect(asked).toEqual(['/tickers?category=linear', '/tickers?category=spot', '/tickers?category=linear']);
  });
});
