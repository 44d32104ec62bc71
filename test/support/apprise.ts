import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { onLoopback } from './loopback.ts';

/** The fields that may be posted; any other field is refused (github.com/caronc/apprise-api, NotifyView). */
const posted = z.strictObject({
  body: z.string().min(1),
  title: z.string().optional(),
  type: z.enum(['info', 'success', 'warning', 'failure']).optional(),
  format: z.enum(['text', 'markdown', 'html']).optional(),
  tag: z
    .string()
    .regex(/^[a-z0-9\s| ,_:+&-]+$/i)
    .optional(),
});

export interface Told extends z.output<typeof posted> {
  readonly key: string;
  readonly id: string;
}

/**
 * Starts a double of the Apprise API server on loopback, with a password. `services`: the tags of the services under each key.
 */
export async function startApprise({
  user,
  password,
  services,
  readOnly = false,
}: {
  readonly user: string;
  readonly password: string;
  readonly services: Readonly<Record<string, readonly string[]>>;
  /** Whether the server cannot write its own configuration. */
  readonly readOnly?: boolean;
}) {
  const told: Told[] = [];
  /** Keys with a service that fails. */
  const broken = new Set<string>();
  const pair = Buffer.from(`${user}:${password}`).toString('base64');
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const say = (status: number, error: string | null = null) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(status === 204 ? undefined : JSON.stringify({ error, details: [] }));
    if (request.headers.authorization !== `Basic ${pair}`) return say(401, 'unauthorized');
    if (request.method === 'GET' && request.url === '/status') {
      const status = { can_write_config: !readOnly, details: [readOnly ? 'CONFIG_PERMISSION_ISSUE' : 'OK'] };
      return response
        .writeHead(readOnly ? 417 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ status }));
    }
    const key = /^\/notify\/([\w-]{1,128})\/?$/.exec(request.url ?? '')?.[1];
    if (key === undefined) return say(404);
    if (request.method !== 'POST') return say(405);
    if (request.headers['content-type'] !== 'application/json') return say(400);
    const read = posted.safeParse(JSON.parse(body));
    if (!read.success) return say(400, read.error.message);
    const tags = services[key];
    if (tags === undefined) return say(204);
    const wanted = read.data.tag?.split(/[ ,]+/);
    if (wanted?.some((tag) => tags.includes(tag)) === false) return say(424, 'no service has the tag');
    told.push({ ...read.data, key, id: String(request.headers['x-apprise-id']) });
    return broken.has(key) ? say(424, 'One or more notification could not be sent') : say(200);
  });
  const { url, close } = await onLoopback(server);
  return {
    url,
    told,
    broken,
    close,
  };
}
