import type { RequestListener } from 'node:http';
import type { DeliveryFailure } from '#src/language/errors.ts';
import type { NotifierFixture } from './fixture.ts';
import { receiver } from './receiver.ts';

type Failure = NotifierFixture['failures'][number];

/** A server that answers as it is told, at an address that options can name before it is there. */
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
    // Long, but where that is what is tried: a busy machine answers late.
    timeout: () => server?.timeout ?? '20s',
    /** Another is there from now on. */
    is(other: { readonly url: string }) {
      server = other;
    },
    answering,
    /** @param body of the answer; none by itself where the status has none */
    status: (
      code: number,
      expected: DeliveryFailure,
      { headers = {}, body = '{"error":"x"}' }: { headers?: Record<string, string>; body?: string } = {},
    ) =>
      answering(`${code} ${JSON.stringify(headers)}`, expected, (_request, response) => {
        response.writeHead(code, headers).end(code === 204 ? undefined : body);
      }),
    /** What comes too late, or breaks off: whether it was taken is not known. */
    broken: [
      answering(late, unknown, () => undefined),
      answering('half an answer', unknown, (request) => request.socket.end('HTTP/1.1 200')),
      answering('a reset after the request', unknown, (request) => request.socket.resetAndDestroy()),
    ],
  };
}
