import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { onLoopback } from './loopback.ts';

const word = z.string().regex(/^[-_A-Za-z0-9]{1,64}$/);

/** The fields that may be published as JSON; any other field is refused (docs.ntfy.sh/publish/#publish-as-json). */
const published = z.strictObject({
  topic: word,
  sequence_id: word.optional(),
  title: z.string().optional(),
  message: z.string().refine((text) => Buffer.byteLength(text) <= 4_096, 'becomes a file'),
  priority: z.int().min(1).max(5).optional(),
  tags: z.array(z.string()).optional(),
  click: z.url().optional(),
});
export type Published = z.output<typeof published>;

/** Starts a double of the ntfy 2.16 server on loopback. Publishing requires `token`. */
export async function startNtfy({ token }: { readonly token: string }) {
  const log: Published[] = [];
  let ids = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const say = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.headers.authorization !== `Bearer ${token}`)
      return say(401, { code: 40_101, http: 401, error: 'unauthorized' });
    if (request.method === 'GET' && request.url === '/v1/account')
      return say(200, { username: 'tocsin', role: 'user' });
    if (request.method !== 'POST' || request.url !== '/')
      return say(404, { code: 40_401, http: 404, error: 'page not found' });
    const read = published.safeParse(JSON.parse(body));
    if (!read.success) return say(400, { code: 40_024, http: 400, error: read.error.message });
    if (read.data.topic.startsWith('reserved'))
      return say(403, { code: 40_301, http: 403, error: 'forbidden' });
    log.push(read.data);
    ids += 1;
    return say(200, { id: `m${ids}`, time: 1, event: 'message', ...read.data });
  });
  const { url, close } = await onLoopback(server);
  return {
    url,
    log,
    /** The messages as a phone shows them: the latest of each sequence, in the order in which the sequences began. */
    standing: () => [...new Map(log.map((each, index) => [each.sequence_id ?? index, each])).values()],
    close,
  };
}
