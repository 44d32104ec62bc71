import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { maxStreamed, type StreamEvent, streamQuery } from '../../contract/stream.ts';
import type { WallClock } from '../../runtime/clock.ts';
import { type Loop, startLoop } from '../../runtime/loop.ts';
import { iso, second } from '../../runtime/units.ts';
import type { NewestPrices } from '../collecting/price-table.ts';
import { sendError } from './failure.ts';

/** Wall ms between two rounds: what changes more often is told once. */
const roundEvery = second;
const maxClients = 64;
/** Bytes that may wait for a client before it is let go: it connects anew and resumes. */
const maxBuffered = 1024 * 1024;
/** How many other events are kept for clients that resume. */
const maxKept = 1_000;

/** An event other than prices. */
export type StreamNews =
  | { readonly event: 'liquidation'; readonly data: StreamEvent<'liquidation'> }
  | { readonly event: 'listing'; readonly data: StreamEvent<'listing'> }
  | { readonly event: 'regime'; readonly data: StreamEvent<'regime'> };

interface StreamOptions {
  /** Returns the newest prices; undefined: this process hears none. */
  readonly prices: () => NewestPrices | undefined;
  /** Returns what is new since the last call. */
  readonly news: () => Promise<readonly StreamNews[]>;
  /** Market ms. */
  readonly now: () => number;
  readonly wall: WallClock;
  readonly onError: (error: unknown) => void;
}

/** The markets whose prices a client is told. */
interface Selection {
  /** Marks the ids of its events: an id says nothing about the prices of other markets. */
  readonly mark: string;
  readonly has: (symbol: string) => boolean;
}

/** A client, and what it has: the revision of the prices, and the number of the last other event. */
interface Client {
  readonly selection: Selection;
  revision: number;
  sequence: number;
}

export interface PriceStream {
  /** Opens a client's stream. Returns false, with nothing written, if there are too many or there are no prices. */
  open(
    response: ServerResponse,
    given: {
      readonly lastEventId: string | undefined;
      /** The markets whose prices are told; undefined: all. */
      readonly symbols: readonly string[] | undefined;
    },
  ): boolean;
  stop(): Promise<void>;
}

const everyMarket: Selection = { mark: '', has: () => true };

function selectionOf(symbols: readonly string[] | undefined): Selection {
  if (symbols === undefined) return everyMarket;
  const chosen = new Set(symbols);
  const text = [...chosen].sort().join();
  return {
    mark: `.${createHash('sha256').update(text).digest('hex').slice(0, 16)}`,
    has: (symbol) => chosen.has(symbol),
  };
}

/** Sends all clients the prices and other events, in rounds of a second while anyone listens. */
export function createPriceStream({ prices, news, now, wall, onError }: StreamOptions): PriceStream {
  /** Marks the ids of this process: those of an earlier one say nothing about these prices. */
  const epoch = wall.now().toString(36);
  const clients = new Map<ServerResponse, Client>();
  const kept: { readonly sequence: number; readonly text: string }[] = [];
  let sequence = 0;
  let loop: Loop | undefined;

  /** Returns a function that gives the event about the prices that have changed since a client's last one; each is written once. */
  const priceEvents = (table: NewestPrices) => {
    const texts = new Map<string, string>();
    return ({ revision, selection }: Client): string =>
      texts.getOrInsertComputed(`${revision}${selection.mark}`, () => {
        const data = {
          timestamp: iso(Math.floor(now())),
          stale: table.stale(),
          data: table.changed(revision, selection.has).map(({ symbol, price, time }) => ({
            symbol,
            price,
            timestamp: iso(time),
            ...table.changes(symbol),
          })),
        } satisfies StreamEvent<'price'>;
        const id = `${epoch}${selection.mark}-${table.revision()}-${sequence}`;
        return `id: ${id}\nevent: price\ndata: ${JSON.stringify(data)}\n\n`;
      });
  };

  const send = (textOf: (client: Client) => string, revision: number) => {
    for (const [response, client] of clients) {
      if (response.writableLength > maxBuffered) {
        response.destroy();
        continue;
      }
      const missed = kept.filter((each) => each.sequence > client.sequence);
      response.write(missed.map(({ text }) => text).join('') + textOf(client));
      client.revision = revision;
      client.sequence = sequence;
    }
  };

  let roundAt = Number.NEGATIVE_INFINITY;
  const round = async () => {
    // A change begins the next round at once, but for those that follow within the second.
    const early = roundAt + roundEvery - wall.now();
    if (early > 0 && early <= roundEvery) return early;
    roundAt = wall.now();
    for (const { event, data } of await news()) {
      sequence += 1;
      kept.push({ sequence, text: `event: ${event}\ndata: ${JSON.stringify(data)}\n\n` });
    }
    kept.splice(0, kept.length - maxKept);
    const table = prices();
    if (table !== undefined) send(priceEvents(table), table.revision());
    return clients.size === 0 ? Number.POSITIVE_INFINITY : roundEvery;
  };

  /** Returns a client with what it has, if it resumes. */
  const clientOf = (selection: Selection, lastEventId: string | undefined, table: NewestPrices): Client => {
    const [, ofEpoch, mark, revision, of] =
      /^([a-z0-9]+)(\.[a-z0-9]+)?-(\d{1,15})-(\d{1,15})$/.exec(lastEventId ?? '') ?? [];
    if (ofEpoch !== epoch || Number(revision) > table.revision())
      return { selection, revision: -1, sequence };
    const isSame = (mark ?? '') === selection.mark;
    return { selection, revision: isSame ? Number(revision) : -1, sequence: Number(of) };
  };

  return {
    open(response, { lastEventId, symbols }) {
      const table = prices();
      if (table === undefined || clients.size >= maxClients) return false;
      response.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        // A proxy that gathers the response would hold back what is new.
        'x-accel-buffering': 'no',
      });
      response.on('error', () => response.destroy());
      response.on('close', () => clients.delete(response));
      clients.set(response, clientOf(selectionOf(symbols), lastEventId, table));
      if (loop === undefined) {
        loop = startLoop(round, { wall, onError });
        const { wake } = loop;
        table.onChange(() => clients.size > 0 && wake());
      }
      loop.wake();
      return true;
    },
    async stop() {
      for (const response of clients.keys()) response.end();
      await loop?.stop();
    },
  };
}

/** Returns how the route of the stream answers. Undefined: no prices are heard here. */
export const answerStream =
  (opened: PriceStream | undefined) =>
  ({ method, headers, query }: FastifyRequest, reply: FastifyReply) => {
    const { 'last-event-id': id } = headers;
    if (method === 'HEAD' || opened === undefined)
      return sendError(reply, 501, 'This service does not offer it');
    const parsed = streamQuery.safeParse(query);
    if (!parsed.success)
      return sendError(reply, 400, `symbols must be at most ${maxStreamed} pairs, separated by commas`);
    const lastEventId = typeof id === 'string' ? id : undefined;
    if (opened.open(reply.raw, { lastEventId, symbols: parsed.data.symbols })) return reply.hijack();
    reply.header('retry-after', 5);
    return sendError(reply, 503, 'There are no prices to tell yet, or too many listen already');
  };
