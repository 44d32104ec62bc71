import type { RequestListener } from 'node:http';
import type { DeliveryFailure } from '#src/language/errors.ts';
import { startNtfy } from '#test/support/ntfy.ts';
import type { NotifierFixture } from '../fixture.ts';
import { receiver } from '../receiver.ts';

const token = 'tk_0123456789abcdefghij';
const topic = 'tocsin-0123456789';

/** Servers of all places, at an address that the options can name before any of them is there. */
let server: { readonly url: string; readonly timeout?: string } | undefined;

const options = {
  token,
  // Long, but where that is what is tried: a busy machine answers late.
  get timeout() {
    return server?.timeout ?? '20s';
  },
  get url() {
    return server?.url ?? 'http://127.0.0.1:1';
  },
};

const late = 'no answer in time';
const answering = (
  name: string,
  expected: DeliveryFailure,
  answer: RequestListener,
): NotifierFixture['failures'][number] => ({
  name,
  expected,
  async arrange() {
    const { port, close } = await receiver(answer);
    server = { url: `http://127.0.0.1:${port}`, timeout: name === late ? '400ms' : '20s' };
    return { ports: {}, address: { topic }, close };
  },
});
const status = (code: number, expected: DeliveryFailure, headers: Record<string, string> = {}) =>
  answering(`${code} ${JSON.stringify(headers)}`, expected, (_request, response) => {
    response.writeHead(code, headers).end('{"error":"x"}');
  });

const unknown: DeliveryFailure = { kind: 'unavailable', accepted: 'unknown' };

export default {
  options,
  secrets: [token],
  shown: [
    [{ topic: 'tocsin-0123456789' }, { topic: 'tocsin…' }],
    [{ topic: 'abc' }, { topic: 'a…' }],
  ],
  refused: [{}, { topic: '' }, { topic: 'a/b' }, { topic: 'x'.repeat(65) }, { topic: 'ünlaut' }],
  async open() {
    const ntfy = await startNtfy({ token });
    server = ntfy;
    const received = () => ntfy.standing().map(({ title, message }) => `${title}\n${message}`);
    return { ports: {}, address: { topic }, received, close: ntfy.close };
  },
  failures: [
    status(429, { kind: 'rate_limited', retryAfter: 7_000 }, { 'retry-after': '7' }),
    status(429, { kind: 'rate_limited', retryAfter: 60_000 }),
    status(401, { kind: 'rate_limited', retryAfter: 600_000 }),
    status(403, { kind: 'missing' }),
    status(404, { kind: 'missing' }),
    status(400, { kind: 'rejected' }),
    status(413, { kind: 'rejected' }),
    status(301, { kind: 'rejected' }, { location: 'http://127.0.0.1:1/' }),
    status(500, unknown),
    status(503, { kind: 'unavailable', accepted: 'no' }),
    answering('200 by what is no ntfy server', { kind: 'rejected' }, (_request, response) =>
      response.end('<html>Welcome</html>'),
    ),
    answering(late, unknown, () => undefined),
    answering('half an answer', unknown, (request) => request.socket.end('HTTP/1.1 200')),
    answering('a reset after the request', unknown, (request) => request.socket.resetAndDestroy()),
  ],
} satisfies NotifierFixture;
