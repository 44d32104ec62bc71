import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { z } from 'zod';
import { wallClock } from '#src/runtime/clock.ts';
import { keepStream } from '#src/service/exchanges/stream.ts';
import { openUpstream } from '#src/service/exchanges/upstream.ts';

let proxy: URL;
let tunnels: string[];
let refuse: boolean;

/** An HTTP proxy that knows CONNECT alone, and one user. */
beforeEach(async () => {
  [tunnels, refuse] = [[], false];
  const server = createServer();
  const sockets = new Set<Socket>();
  server.on('connect', ({ url = '', headers }: IncomingMessage, client: Socket) => {
    const login = Buffer.from(String(headers['proxy-authorization']).replace('Basic ', ''), 'base64');
    tunnels.push(`${url} ${login}`);
    if (refuse) return client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const target = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy = new URL(`http://me:pass%20word@127.0.0.1:${(server.address() as AddressInfo).port}`);
  return () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
});

async function upstreamAnswering(body: string) {
  const server = createServer((_, response) => response.end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { signal } = new AbortController();
  const url = `http://exchange.test:${port}`;
  const upstream = openUpstream({ name: 'binance', url, wall: wallClock, signal, proxy: proxy.href });
  onTestFinished(async () => {
    await upstream.close();
    server.closeAllConnections();
    server.close();
  });
  return { upstream, port };
}

describe('an HTTP proxy', () => {
  it('REST goes through it, with its user; names are resolved there', async () => {
    const { upstream, port } = await upstreamAnswering('{"serverTime":7}');
    expect(await upstream.get('/fapi/v1/time', { schema: z.object({ serverTime: z.int() }) })).toEqual({
      serverTime: 7,
    });
    expect(tunnels).toEqual([`exchange.test:${port} me:pass word`]);
  });

  it('one that refuses is an unreachable upstream, and its password is in no error', async () => {
    refuse = true;
    const { upstream } = await upstreamAnswering('{}');
    const error = await upstream
      .get('/fapi/v1/time', { schema: z.unknown() })
      .catch((error: unknown) => error);
    expect(error).toMatchObject({ name: 'ApiError', reason: 'unreachable' });
    expect(String(error)).not.toMatch(/pass/);
  });

  it.each([
    ['the stream goes through it too', false, ['event']],
    [
      'a stream it refuses says so',
      true,
      ['the stream cannot be reached: the proxy refused exchange.test:PORT (HTTP 407)'],
    ],
  ])('%s', async (_, refusing, expected) => {
    refuse = refusing;
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    server.on('connection', (socket) => socket.send('event'));
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const ending = new AbortController();
    const first = Promise.withResolvers<string>();
    const running = keepStream({
      url: `ws://exchange.test:${port}/market/ws/!forceOrder@arr`,
      silence: 60_000,
      wall: wallClock,
      random: () => 1,
      signal: ending.signal,
      proxy: proxy.href,
      onMessage: first.resolve,
      onProblem: first.resolve,
    });
    expect([(await first.promise).replace(String(port), 'PORT')]).toEqual(expected);
    expect(tunnels[0]).toBe(`exchange.test:${port} me:pass word`);
    ending.abort();
    await running;
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
});
