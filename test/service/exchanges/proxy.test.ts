import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { z } from 'zod';
import { wallClock } from '#src/runtime/clock.ts';
import { keepStream } from '#src/service/exchanges/stream.ts';
import { openUpstream } from '#src/service/exchanges/upstream.ts';

const read = (name: string) => readFileSync(join(import.meta.dirname, '../../fixtures/tls', name), 'utf8');
const key = read('key.pem');
/** The proxy's certificate is for a name, and the exchange's is for an address. */
const certificates = { proxy: read('localhost.pem'), exchange: read('certificate.pem') };

beforeAll(() => {
  const usual = getCACertificates();
  setDefaultCACertificates([...usual, ...Object.values(certificates)]);
  return () => setDefaultCACertificates(usual);
});

const serverOf = (who: keyof typeof certificates, secured: boolean) =>
  secured ? createSecureServer({ key, cert: certificates[who] }) : createServer();
async function listening(server: ReturnType<typeof serverOf>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

let tunnels: string[];
let refuse: boolean;

/** Starts a proxy that knows only CONNECT and one user. Returns its URL. */
async function openProxy(protocol: 'http' | 'https') {
  const server = serverOf('proxy', protocol === 'https');
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
  const port = await listening(server);
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url: `${protocol}://me:pass%20word@localhost:${port}`, close };
}

async function upstreamAnswering(body: string, proxy: string) {
  const server = createServer((_, response) => response.end(body));
  const port = await listening(server);
  const { signal } = new AbortController();
  const url = `http://exchange.test:${port}`;
  const upstream = openUpstream({ name: 'binance', url, wall: wallClock, signal, proxy });
  onTestFinished(async () => {
    await upstream.close();
    server.closeAllConnections();
    server.close();
  });
  return { upstream, port };
}

describe.each(['http', 'https'] as const)('a proxy by %s', (protocol) => {
  let proxy: string;
  beforeEach(async () => {
    [tunnels, refuse] = [[], false];
    const { url, close } = await openProxy(protocol);
    proxy = url;
    return close;
  });

  it('REST requests use it with its user, and names are resolved there', async () => {
    const { upstream, port } = await upstreamAnswering('{"serverTime":7}', proxy);
    expect(await upstream.get('/fapi/v1/time', { schema: z.object({ serverTime: z.int() }) })).toEqual({
      serverTime: 7,
    });
    expect(tunnels).toEqual([`exchange.test:${port} me:pass word`]);
  });

  it('a proxy that refuses is an unreachable upstream, and its password is in no error', async () => {
    refuse = true;
    const { upstream } = await upstreamAnswering('{}', proxy);
    const error = await upstream
      .get('/fapi/v1/time', { schema: z.unknown() })
      .catch((error: unknown) => error);
    expect(error).toMatchObject({ name: 'ApiError', reason: 'unreachable' });
    expect(String(error)).not.toMatch(/pass/);
  });

  it.each([
    ['the stream goes through it too', 'ws://exchange.test', 'event'],
    ['a secured one too', 'wss://127.0.0.1', 'event'],
    [
      'a stream it refuses says so',
      'ws://exchange.test',
      'the stream cannot be reached: the proxy refused exchange.test:PORT (HTTP 407)',
    ],
  ])('%s', async (_, address, expected) => {
    refuse = expected !== 'event';
    const server = serverOf('exchange', address.startsWith('wss:'));
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket) => socket.send('event'));
    const port = await listening(server);
    const ending = new AbortController();
    const first = Promise.withResolvers<string>();
    const running = keepStream({
      url: `${address}:${port}/market/ws/!forceOrder@arr`,
      silence: 60_000,
      wall: wallClock,
      random: () => 1,
      signal: ending.signal,
      proxy,
      onMessage: first.resolve,
      onProblem: first.resolve,
    });
    expect((await first.promise).replace(String(port), 'PORT')).toBe(expected);
    expect(tunnels[0]).toBe(`${new URL(address).hostname}:${port} me:pass word`);
    ending.abort();
    await running;
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  });
});
