import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { ApiError } from '../../runtime/errors.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Sends a GET request, or a POST request if there is a JSON body, and reads the whole response. */
export interface Transport {
  /** @throws ApiError if the response is too large, or any error of the network */
  get(
    endpoint: string,
    given: { readonly target: URL; readonly post?: string | undefined; readonly signal: AbortSignal },
  ): Promise<Reply>;
  close(): Promise<void>;
}

/** Requests of one upstream that may be under way at the same time. More would wait where no limit or ban is looked at again. */
export const maxConnections = 16;

/** Limit of a decompressed response, bytes. The largest expected one is the stablecoins' whole history, about 3 MB. */
const bodyLimit = 16 * 1024 * 1024;

/**
 * Opens a transport over HTTP, with compression if the upstream supports it.
 * @param proxy URL of an HTTP or HTTPS proxy for all requests
 */
export function httpTransport({
  timeout,
  proxy,
}: {
  readonly timeout: number;
  readonly proxy?: string | undefined;
}): Transport {
  /** Loaded at the first request: a simulated market asks nobody. */
  const open = async () => {
    const { Agent, ProxyAgent, request } = await import('undici');
    const given = { connections: maxConnections, headersTimeout: timeout, bodyTimeout: timeout };
    const dispatcher =
      proxy === undefined ? new Agent(given) : new ProxyAgent({ ...given, uri: proxy, proxyTunnel: true });
    return { dispatcher, request };
  };
  let opened: ReturnType<typeof open> | undefined;
  return {
    async get(endpoint, { target, post, signal }) {
      opened ??= open();
      const { dispatcher, request } = await opened;
      const response = await request(target, {
        dispatcher,
        signal,
        headers: {
          accept: 'application/json',
          'accept-encoding': 'gzip, br',
          ...(post !== undefined && { 'content-type': 'application/json' }),
        },
        ...(post !== undefined && { method: 'POST', body: post }),
      });
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of decompress(response.body, response.headers['content-encoding'])) {
        size += chunk.length;
        if (size > bodyLimit) {
          const message = `an answer above ${bodyLimit / 1024 / 1024} MB was cut off`;
          throw new ApiError(endpoint, 'malformed', message);
        }
        chunks.push(chunk);
      }
      return {
        status: response.statusCode,
        headers: response.headers,
        text: Buffer.concat(chunks).toString('utf8'),
      };
    },
    close: async () => (await opened)?.dispatcher.destroy(),
  };
}

/** Decompresses a response body. @throws Error while the body is read, if the compressed data is incomplete */
function decompress(body: Readable, encoding: string | string[] | undefined): AsyncIterable<Buffer> {
  if (encoding !== 'gzip' && encoding !== 'br') return body;
  const unpacking = encoding === 'gzip' ? createGunzip() : createBrotliDecompress();
  return pipeline(body, unpacking, () => {});
}
