import type { RequestListener } from 'node:http';
import type { DeliveryFailure } from '#src/language/errors.ts';
import type { NotifierFixture } from './fixture.ts';
import { receiver } from './receiver.ts';

type Failure = NotifierFixture['failures'][number];

/** A server that responds as told, at an address that options can name before the server exists. */
export function answeringServer(address: Readonly<Record<string, string>>) {
  let server: { readonly url: string; readonly timeout?: string } | undefined;
  const late = 'no answer in time';
  const answering = (name: string, expected: DeliveryFailure, answer: RequestListener): Failure => ({
    name,
    expected,
    async arrange() {
      const { port, close } = await receiver(answer);
      server = { url: `http://127.0.0.1:${port}`, timeout: name === late ? '400ms' : '20s' };
      return { ports: {}, address, close };
    },
  });
  const unknown: DeliveryFailure = { kind: 'unavailable', accepted: 'unknown' };
  return {
    url: () => server?.url ?? 'http://127.0.0.1:1',
    // Long, except where the timeout itself is tested, because a busy machine responds late.
    timeout: () => server?.timeout ?? '20s',
    /** Uses this server from now on. */
    is(other: { readonly url: string }) {
      server = other;
    },
    answering,
    /** @param body of the response; empty if omitted */
    status: (
      code: number,
      expected: DeliveryFailure,
      { headers = {}, body = '{"error":"x"}' }: { headers?: Record<string, string>; body?: string } = {},
    ) =>
      answering(`${code} ${JSON.stringify(headers)}`, expected, (_request, response) => {
        response.writeHead(code, headers).end(code === 204 ? undefined : body);
      }),
    /** Responses that come too late or break off: it is unknown whether the post was accepted. */
    broken: [
      answering(late, unknown, () => undefined),
      answering('half an answer', unknown, (request) => request.socket.end('HTTP/1.1 200')),
      answering('a reset after the request', unknown, (request) => request.socket.resetAndDestroy()),
      {
        name: 'nobody listens',
        expected: { kind: 'unavailable', accepted: 'no' },
        arrange: async () => {
          server = { url: 'http://127.0.0.1:1' };
          return { ports: {}, address, close: async () => undefined };
        },
      } satisfies Failure,
    ],
  };
}
