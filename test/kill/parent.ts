import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { iso } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import type { Arrival, Question } from './verdict.ts';

/** Moments at which the parent is told, and for which its answer waits. */
export type Moment = 'asked' | 'answered' | 'sent' | 'taken';

/** Both ends of a bot, on loopback: the data service it asks, and the receivers of its webhooks. */
export interface Parent {
  readonly dataUrl: string;
  readonly arrivals: readonly Arrival[];
  readonly questions: readonly Question[];
  readonly receiverUrl: (name: string) => string;
  /** Told of everything that happens from now on; what is asked or sent is answered once it resolves. */
  listen(life: number, told: (moment: Moment) => Promise<void> | void): void;
  /** Resolves when the dead leave nothing unread. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

export async function startParent(): Promise<Parent> {
  const arrivals: Arrival[] = [];
  const questions: Question[] = [];
  let life = 0;
  let told: (moment: Moment) => Promise<void> | void = () => {};
  let quiet = Promise.withResolvers<void>();
  let open = 0;

  const server: Server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://parent');
    // A request cut off by a kill never came.
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    if (url.pathname.startsWith('/api/v1/')) {
      const symbol = url.searchParams.get('symbol') ?? '';
      questions.push({ life, symbol });
      await told('asked');
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ symbol, data: [{ timestamp: iso(start), rate: '0', annualized: '0' }] }));
      await told('answered');
    } else {
      const key = String(request.headers['idempotency-key']);
      arrivals.push({ life, receiver: url.pathname.slice(1), key, body });
      await told('sent');
      response.end();
      await told('taken');
    }
  });
  server.on('connection', (socket) => {
    open += 1;
    socket.on('close', () => {
      open -= 1;
      if (open === 0) quiet.resolve();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    dataUrl: `${origin}/api/v1`,
    arrivals,
    questions,
    receiverUrl: (name) => `${origin}/${name}`,
    listen(of, listener) {
      life = of;
      told = listener;
    },
    async quiet() {
      quiet = Promise.withResolvers();
      if (open > 0) await quiet.promise;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
