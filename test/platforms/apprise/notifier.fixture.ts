import type { DeliveryFailure } from '#src/language/errors.ts';
import { startApprise } from '#test/support/apprise.ts';
import { answeringServer } from '../answering.ts';
import type { NotifierFixture } from '../fixture.ts';

const login = { user: 'tocsin', password: 'correct-horse-battery' };
const key = 'traders-0123456789';
const server = answeringServer({ key });
const { status } = server;

const unknown: DeliveryFailure = { kind: 'unavailable', accepted: 'unknown' };
const rejected: DeliveryFailure = { kind: 'rejected' };

export default {
  overHttp: true,
  options: {
    ...login,
    get url() {
      return server.url();
    },
    get timeout() {
      return server.timeout();
    },
  },
  // The services behind Apprise accept the same post twice.
  idempotent: false,
  secrets: [login.password, Buffer.from(`${login.user}:${login.password}`).toString('base64'), key],
  shown: [
    [{ key: 'traders-0123456789' }, { key: 'trader…' }],
    [
      { key: 'abc', tag: 'phones' },
      { key: 'a…', tag: 'phones' },
    ],
  ],
  refused: [
    {},
    { key: '' },
    { key: 'a/b' },
    { key: '../status' },
    { key: 'x'.repeat(129) },
    { key: 'a', tag: '' },
    { key: 'a', tag: 'a+b' },
    { key: 'a', tag: 'a\nb' },
  ],
  async open() {
    const apprise = await startApprise({ ...login, services: { [key]: ['phones'] } });
    server.is(apprise);
    const received = () => apprise.told.map(({ title, body }) => `${title}\n${body}`);
    return { ports: {}, address: { key }, received, close: apprise.close };
  },
  failures: [
    status(429, { kind: 'rate_limited', retryAfter: 7_000 }, { headers: { 'retry-after': '7' } }),
    status(429, { kind: 'rate_limited', retryAfter: 60_000 }),
    status(401, { kind: 'rate_limited', retryAfter: 600_000 }),
    ...[204, 403, 404].map((code) => status(code, { kind: 'missing' })),
    ...[400, 405, 413, 431].map((code) => status(code, rejected)),
    status(301, { kind: 'unavailable', accepted: 'no' }, { headers: { location: 'http://127.0.0.1:1/' } }),
    status(424, unknown),
    status(500, unknown),
    status(503, { kind: 'unavailable', accepted: 'no' }),
    status(200, unknown, { headers: { 'content-type': 'text/html' }, body: '<html>' }),
    ...server.broken,
  ],
} satisfies NotifierFixture;
