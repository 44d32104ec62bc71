import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Arrival {
  readonly headers: IncomingHttpHeaders;
  readonly url: string;
  readonly body: string;
}

/** Starts the receiving end of a webhook on loopback. `answer` is called once the whole request has arrived. */
export async function receiver(answer: RequestListener = (_request, response) => response.end('ok')) {
  const arrivals: Arrival[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { headers, url = '' } = request;
    arrivals.push({ headers, url, body: Buffer.concat(chunks).toString('utf8') });
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    arrivals,
    port,
    url: `http://127.0.0.1:${port}/hooks/T000/path-secret`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
