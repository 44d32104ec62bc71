import { startNtfy } from '#test/support/ntfy.ts';
import { answeringServer } from '../answering.ts';
import type { NotifierFixture } from '../fixture.ts';

const token = 'tk_0123456789abcdefghij';
const topic = 'tocsin-0123456789';
const server = answeringServer({ topic });
const { status } = server;

export default {
  overHttp: true,
  options: {
    token,
    get url() {
      return server.url();
    },
    get timeout() {
      return server.timeout();
    },
  },
  secrets: [token],
  shown: [
    [{ topic: 'tocsin-0123456789' }, { topic: 'tocsin…' }],
    [{ topic: 'abc' }, { topic: 'a…' }],
  ],
  refused: [{}, { topic: '' }, { topic: 'a/b' }, { topic: 'x'.repeat(65) }, { topic: 'ünlaut' }],
  async open() {
    const ntfy = await startNtfy({ token });
    server.is(ntfy);
    const received = () => ntfy.standing().map(({ title, message }) => `${title}\n${message}`);
    return { ports: {}, address: { topic }, received, close: ntfy.close };
  },
  failures: [
    status(429, { kind: 'rate_limited', retryAfter: 7_000 }, { headers: { 'retry-after': '7' } }),
    status(429, { kind: 'rate_limited', retryAfter: 60_000 }),
    status(401, { kind: 'rate_limited', retryAfter: 600_000 }),
    status(403, { kind: 'missing' }),
    status(404, { kind: 'missing' }),
    status(400, { kind: 'rejected' }),
    status(413, { kind: 'rejected' }),
    status(301, { kind: 'unavailable', accepted: 'no' }, { headers: { location: 'http://127.0.0.1:1/' } }),
    status(500, { kind: 'unavailable', accepted: 'unknown' }),
    status(503, { kind: 'unavailable', accepted: 'no' }),
    // The response of a server that is not ntfy.
    status(200, { kind: 'unavailable', accepted: 'unknown' }, { body: '<html>Welcome</html>' }),
    ...server.broken,
  ],
} satisfies NotifierFixture;
