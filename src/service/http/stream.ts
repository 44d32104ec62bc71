import type { ServerResponse } from 'node:http';
import type { StreamEvent } from '../../contract/stream.ts';
import type { WallClock } from '../../runtime/clock.ts';
import { type Loop, startLoop } from '../../runtime/loop.ts';
import { iso, second } from '../../runtime/units.ts';
import type { NewestPrices } from '../collecting/price-table.ts';

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

/** What a client has: the revision of the prices, and the number of the last other event. */
interface Position {
  revision: number;
  sequence: number;
}

export interface PriceStream {
  /** Opens a client's stream. Returns false, with nothing written, if there are too many or there are no prices. */
  open(response: ServerResponse, lastEventId: string | undefined): boolean;
  stop(): Promise<void>;
}

/** Sends all clients the prices and other events, in rounds of a second while anyone listens. */
export function createPriceStream({ prices, news, now, wall, onError }: StreamOptions): PriceStream {
  /** Marks the ids of this process: those of an earlier one say nothing about these prices. */
  const epoch = wall.now().toString(36);
  const clients = new Map<ServerResponse, Position>();
  const kept: { readonly sequence: number; readonly text: string }[] = [];
  let sequence = 0;
  let loop: Loop | undefined;

  const idOf = (revision: number) => `id: ${epoch}-${revision}-${sequence}\n`;

  /** Returns a function that gives the event about the prices that have changed after a revision; each is written once. */
  const priceEvents = (table: NewestPrices) => {
    const texts = new Map<number, string>();
    return (revision: number): string => {
      const known = texts.get(revision);
      if (known !== undefined) return known;
      const data = {
        timestamp: iso(Math.floor(now())),
        stale: table.stale(),
        data: table.changed(revision).map(({ symbol, price, time }) => ({
          symbol,
          price,
          timestamp: iso(time),
          ...table.changes(symbol),
        })),
      } satisfies StreamEvent<'price'>;
      const text = `${idOf(table.revision())}event: price\ndata: ${JSON.stringify(data)}\n\n`;
      texts.set(revision, text);
      return text;
    };
  };

  const send = (textOf: (revision: number) => string, revision: number) => {
    for (const [response, client] of clients) {
      if (response.writableLength > maxBuffered) {
        response.destroy();
        continue;
      }
      const missed = kept.filter((each) => each.sequence > client.sequence);
      response.write(missed.map(({ text }) => text).join('') + textOf(client.revision));
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

  /** Returns what a client that resumes has. */
  const positionOf = (lastEventId: string | undefined, table: NewestPrices): Position => {
    const [, ofEpoch, revision, of] = /^([a-z0-9]+)-(\d{1,15})-(\d{1,15})$/.exec(lastEventId ?? '') ?? [];
    return ofEpoch === epoch && Number(revision) <= table.revision()
      ? { revision: Number(revision), sequence: Number(of) }
      : { revision: -1, sequence };
  };

  return {
    open(response, lastEventId) {
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
      clients.set(response, positionOf(lastEventId, table));
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
