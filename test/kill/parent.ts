import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { iso } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import type { Ends, Hear, Reply } from './ends.ts';
import type { Arrival, Question } from './verdict.ts';

/** Moments that the parent reports; its response waits for the listener. `lost`: there will be no response. */
export type Moment = 'asked' | 'answered' | 'sent' | 'taken' | 'lost';

/** What the data service responds instead of the right data; `null`: it closes the connection. */
export type Instead = Pick<Reply, 'status' | 'body' | 'headers'> | null;

/** Both ends of a bot on loopback: the data service that it asks, and the receivers that it sends to. */
export interface Parent {
  readonly origin: string;
  readonly dataUrl: string;
  readonly arrivals: readonly Arrival[];
  readonly questions: readonly Question[];
  /** Reports every moment from this call on to the listener; the response is sent once the listener resolves. */
  listen(life: number, listener: (moment: Moment) => Promise<void> | void): void;
  /** Resolves when nothing that killed processes sent is left to be read or handled. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

/** @param instead called before each question is answered; returns what to respond instead of the right data, if anything */
export async function startParent(
  ends: Ends,
  instead: (question: URL) => Promise<Instead | undefined> = async () => undefined,
): Promise<Parent> {
  const arrivals: Arrival[] = [];
  const questions: Question[] = [];
  let life = 0;
  let listener: (moment: Moment) => Promise<void> | void = () => {};
  let quiet = Promise.withResolvers<void>();
  let open = 0;
  const begin = () => {
    open += 1;
  };
  const end = () => {
    open -= 1;
    if (open === 0) quiet.resolve();
  };

  const answer = async (request: IncomingMessage, body: string): Promise<Reply | null> => {
    const { method = '', url: path = '/', headers } = request;
    const url = new URL(path, 'http://parent');
    if (url.pathname.startsWith('/data/')) {
      const symbol = url.searchParams.get('symbol') ?? '';
      const other = await instead(url);
      if (other !== undefined) return other;
      questions.push({ life, symbol, path: url.pathname });
      const data = [{ timestamp: iso(start), rate: '0', annualized: '0' }];
      return { status: 200, body: JSON.stringify({ symbol, data }) };
    }
    const of = life;
    const { arrival, ...reply } = await ends.take({ method, path, headers, body });
    const sender = headers['x-sender'];
    const from = sender !== undefined && { sender: Number(sender) };
    await keep(arrival && { ...arrival, ...from }, { socket: request.socket, of });
    return reply;
  };

  // A message of a killed process may arrive after those of its successor. A frozen process keeps its socket.
  const keep = async (
    arrival: Reply['arrival'],
    { socket, of }: { readonly socket: Socket; readonly of: number },
  ) => {
    const killed = socket.destroyed;
    const late = killed || life !== of;
    if (killed) await listener('lost');
    if (arrival !== undefined) arrivals.push({ ...arrival, late, unheard: killed, life: killed ? life : of });
    if (killed) await listener('lost');
  };

  const hear: Hear = async (socket, { arrival, answer }) => {
    begin();
    await keep(arrival, { socket, of: life }).finally(end);
    await listener('sent');
    answer();
    await listener('taken');
  };

  const server: Server = createServer(async (request, response) => {
    // A request that was cut off by a kill is ignored.
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    begin();
    const question = request.url?.startsWith('/data/') ?? false;
    const reply = await answer(request, body).finally(end);
    if (reply === null || reply.unheard === true) {
      response.destroy();
      return void (await listener('lost'));
    }
    await listener(question ? 'asked' : 'sent');
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(reply.body);
    await listener(question ? 'answered' : 'taken');
  });
  for (const each of [server, ends.server?.(hear)]) {
    each?.on('connection', (socket: Socket) => {
      begin();
      socket.on('close', end);
    });
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    dataUrl: `${origin}/data`,
    arrivals,
    questions,
    listen(of, heard) {
      life = of;
      listener = heard;
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
