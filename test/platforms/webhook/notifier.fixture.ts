import type { RequestListener } from 'node:http';
import type { DeliveryFailure } from '#src/language/errors.ts';
import type { NotifierPorts } from '#src/platforms/ports.ts';
import { wallClock } from '#src/runtime/clock.ts';
import type { NotifierFixture } from '../fixture.ts';
import { receiver } from '../receiver.ts';

export const now = Date.UTC(2026, 2, 14, 9, 30);
const ports = { wall: { ...wallClock, now: () => now } };

const answering = (
  name: string,
  expected: DeliveryFailure,
  answer: RequestListener,
): NotifierFixture['failures'][number] => ({
  name,
  expected,
  async arrange() {
    const { url, close } = await receiver(answer);
    return { ports, address: { url }, close };
  },
});

const status = (code: number, expected: DeliveryFailure, headers: Record<string, string> = {}) =>
  answering(`${code} ${JSON.stringify(headers)}`, expected, (_request, response) => {
    response.writeHead(code, headers).end('{"error":"x"}');
  });

const unknown: DeliveryFailure = { kind: 'unavailable', accepted: 'unknown' };
const unreached: DeliveryFailure = { kind: 'unavailable', accepted: 'no' };

const at = (name: string, expected: DeliveryFailure, url: string, more: Partial<NotifierPorts> = {}) => ({
  name,
  expected,
  arrange: async () => ({ ports: { ...ports, ...more }, address: { url }, close: async () => undefined }),
});

export default {
  overHttp: true,
  options: { secret: 'signing-key-0123456789', timeout: '400ms', allow: ['127.0.0.1'] },
  secrets: ['signing-key-0123456789', 'path-secret'],
  shown: [
    [
      { url: 'https://hooks.example.org:8443/services/T0/secret?key=secret' },
      { url: 'https://hooks.example.org:8443/…' },
    ],
  ],
  refused: [
    {},
    { url: '' },
    { url: 'example.com' },
    { url: 'ftp://example.com/' },
    { url: 'javascript:alert(1)' },
    { url: 'file:///etc/passwd' },
    { url: 'https://user:password@example.com/' },
    { url: 'https://user@example.com/' },
    { url: `https://example.com/${'x'.repeat(2_000)}` },
  ],
  async open() {
    const { url, arrivals, close } = await receiver();
    return { ports, address: { url }, received: () => arrivals.map(({ body }) => body), close };
  },
  failures: [
    ...(
      [
        ['7', 7_000],
        [new Date(now + 90_000).toUTCString(), 90_000],
        ['soon', 60_000],
        ['0', 1_000],
        [new Date(now - 90_000).toUTCString(), 1_000],
      ] as const
    ).map(([after, retryAfter]) =>
      status(429, { kind: 'rate_limited', retryAfter }, { 'retry-after': after }),
    ),
    status(429, { kind: 'rate_limited', retryAfter: 60_000 }),
    status(404, { kind: 'missing' }),
    status(410, { kind: 'gone' }),
    status(400, { kind: 'rejected' }),
    status(401, { kind: 'missing' }),
    status(403, { kind: 'missing' }),
    status(301, { kind: 'missing' }, { location: 'http://127.0.0.1:1/' }),
    status(307, { kind: 'missing' }, { location: 'http://169.254.169.254/' }),
    status(500, unknown),
    status(502, unknown),
    status(503, unreached),
    answering('no answer in time', unknown, () => undefined),
    answering('half an answer', unknown, (request) => request.socket.end('HTTP/1.1 200')),
    answering('a reset after the request', unknown, (request) => request.socket.resetAndDestroy()),
    answering('no HTTP at all', unknown, (request) => request.socket.end('SSH-2.0-OpenSSH\r\n\r\n')),
    at('nobody listens', unreached, 'http://127.0.0.1:1/path-secret'),
    at('a name that does not resolve', unreached, 'http://nowhere.example/path-secret', {
      resolve: () => Promise.reject(new Error('ENOTFOUND')),
    }),
    at('a private address', { kind: 'rejected' }, 'http://10.0.0.1/path-secret'),
    at('a link-local address', { kind: 'rejected' }, 'http://169.254.169.254/path-secret'),
    at('a loopback address in IPv6', { kind: 'rejected' }, 'http://[::1]/path-secret'),
    at('a loopback address written as a number', { kind: 'rejected' }, 'http://2130706434/path-secret'),
    at('a name that leads to a private address', { kind: 'missing' }, 'https://some.example/path-secret', {
      resolve: async () => [{ address: '192.168.1.1', family: 4 }],
    }),
  ],
} satisfies NotifierFixture;
