import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { onLoopback } from '#test/support/loopback.ts';

export interface Arrival {
  readonly headers: IncomingHttpHeaders;
  readonly url: string;
  readonly body: string;
}

/** Starts the receiving end of a webhook on loopback. `answer` is called once the whole request has arrived. */
export async function receiver(answer: RequestListener = (_request, response) => response.end('ok')) {
  const arrivals: Arrival[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { headers, url = '' } = request;
    arrivals.push({ headers, url, body });
    answer(request, response);
  });
  const listening = await onLoopback(server);
  return { ...listening, arrivals, url: `${listening.url}/hooks/T000/path-secret` };
}
