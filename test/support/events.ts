import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

export interface ServerEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** Opens a stream of server-sent events; `next` waits for the next event, `closed` for the end of the stream. */
export async function readEvents(
  url: string,
  lastEventId?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<{
  status: number;
  /** Returns the next event, or the next with this name; events before it are skipped. */
  next(name?: string): Promise<ServerEvent>;
  pause(): void;
  resume(): void;
  closed: Promise<void>;
  close(): void;
}> {
  const headers = { ...more, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) };
  const request = get(url, { headers, agent: false });
  // A stream that the server drops or that is aborted here ends with an error, which is ignored.
  request.on('error', () => undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => response.once('close', () => resolve()));
  const seen: ServerEvent[] = [];
  const waiting: ((event: ServerEvent) => void)[] = [];
  let rest = '';
  const read = (chunk: Buffer) => {
    const blocks = (rest + chunk.toString('utf8')).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const field = (name: string) => block.match(new RegExp(`^${name}: (.*)$`, 'm'))?.[1];
      const event = field('event');
      if (event === undefined) continue;
      const parsed = { event, id: field('id'), data: field('data') ?? '' };
      const waiter = waiting.shift();
      if (waiter === undefined) seen.push(parsed);
      else waiter(parsed);
    }
  };
  response.on('data', read);
  return {
    status: response.statusCode ?? 0,
    async next(name) {
      for (;;) {
        const first = seen.shift() ?? (await new Promise<ServerEvent>((resolve) => waiting.push(resolve)));
        if (name === undefined || first.event === name) return first;
      }
    },
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    closed,
    close: () => void request.destroy(),
  };
}
