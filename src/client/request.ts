import type { Dispatcher } from 'undici';
import type { WallClock } from '../runtime/clock.ts';
import { ApiError } from '../runtime/errors.ts';

/** Requests that may be under way at the same time. More would wait where no pause is looked at again. */
export const maxConnections = 16;

/** A response that has not been parsed. */
export interface RawAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

interface RequestOptions {
  readonly http: Dispatcher;
  readonly wall: WallClock;
  /** The longest time from sending the request to the last byte of the response, wall ms. */
  readonly timeout: number;
  /** The largest body accepted, bytes. */
  readonly maxBody: number;
}

/** Sends one GET. Redirects are returned, not followed. Rejects with an ApiError, or with the signal's reason. */
export async function request(
  endpoint: string,
  {
    url,
    headers,
    signal,
    http,
    wall,
    timeout,
    maxBody,
  }: {
    readonly url: URL;
    readonly headers: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
  } & RequestOptions,
): Promise<RawAnswer> {
  signal.throwIfAborted();
  const late = new AbortController();
  const ended = new AbortController();
  wall.sleep(timeout, ended.signal).then(
    () => late.abort(),
    () => {},
  );
  try {
    const answer = await http.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers: { accept: 'application/json', 'accept-encoding': 'identity', ...headers },
      signal: AbortSignal.any([signal, late.signal]),
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const header = (name: string) => [answer.headers[name] ?? []].flat()[0];
    return {
      status: answer.statusCode,
      contentType: header('content-type'),
      retryAfter: header('retry-after'),
      body: await readBody(endpoint, answer.body, maxBody),
    };
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof ApiError) throw cause;
    const code = codeOf(cause);
    const problem = late.signal.aborted
      ? `no whole answer within ${timeout} ms`
      : `the connection failed${code === undefined ? '' : ` (${code})`}`;
    const message = `${problem}; check TOCSIN_API_URL and that the service runs`;
    throw new ApiError(endpoint, 'unreachable', message, { cause });
  } finally {
    ended.abort(requestEnded);
  }
}

/** The abort reason, created once: the default reason would be created anew for each request, with its stack. */
const requestEnded = new Error('it has come to an end');

async function readBody(endpoint: string, body: AsyncIterable<Uint8Array>, maxBody: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop destroys the stream, so the rest of the body is not received.
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBody)
      throw new ApiError(
        endpoint,
        'malformed',
        `the answer is larger than ${maxBody} bytes and was not read`,
      );
    chunks.push(chunk);
  }
  // A BOM is left out.
  return new TextDecoder().decode(Buffer.concat(chunks));
}

const codeOf = (cause: unknown): string | undefined =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;

/** Error codes of connections that were never established. */
const noConnection = [
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
];

/** Returns whether the request failed before anything of it was sent. */
export const neverSent = (error: unknown): boolean =>
  error instanceof ApiError && noConnection.includes(codeOf(error.cause) ?? '');
