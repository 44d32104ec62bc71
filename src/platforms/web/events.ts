import type { ServerResponse } from 'node:http';
import type { WallClock } from '../../runtime/clock.ts';
import { second } from '../../runtime/units.ts';
import { securityHeaders } from './guard.ts';

export interface Events {
  /** Sends one message (JSON) to everyone in the room. */
  publish(room: string, json: string): void;
  /**
   * Streams a room: what was missed since `lastEventId` where that is still known, else a snapshot of
   * the past, then everything new. False, with nothing written, where there are too many clients.
   */
  open(response: ServerResponse, client: { room: string; lastEventId: string | undefined }): Promise<boolean>;
  close(): void;
}

interface Event {
  readonly sequence: number;
  readonly room: string;
  readonly text: string;
}

/** Server-sent events: `snapshot` (Message[]), `message` (Message) and `beat` (silence means it broke). */
export function createEvents({
  clock,
  recent,
  heartbeat = 15 * second,
  maxClients = 64,
  maxBuffered = 1_024 * 1_024,
  kept = 256,
}: {
  readonly clock: WallClock;
  readonly recent: (room: string) => Promise<readonly string[]>;
  /** Milliseconds. */
  readonly heartbeat?: number;
  readonly maxClients?: number;
  /** Bytes a client may be behind before it is dropped; it comes back and resumes. */
  readonly maxBuffered?: number;
  /** Events a returning client can be given one by one. */
  readonly kept?: number;
}): Events {
  /** Ids of an earlier process mean nothing here. */
  const epoch = clock.now().toString(36);
  const past: Event[] = [];
  const clients = new Map<ServerResponse, string>();
  const stopped = new AbortController();
  let sequence = 0;

  const frame = ({
    event,
    data,
    at,
  }: {
    readonly event: string;
    readonly data: string;
    readonly at: number;
  }) => `id: ${epoch}-${at}\nevent: ${event}\ndata: ${data}\n\n`;

  const write = (response: ServerResponse, text: string) => {
    if (response.writableLength > maxBuffered) response.destroy();
    else response.write(text);
  };

  /** The last event a returning client has seen, if all since then are still here. */
  const resumePoint = (lastEventId: string | undefined): number | undefined => {
    const [, of, digits] = lastEventId?.match(/^([a-z0-9]+)-(\d{1,15})$/) ?? [];
    const seen = Number(digits);
    const first = past[0]?.sequence ?? sequence + 1;
    return of === epoch && seen <= sequence && seen >= first - 1 ? seen : undefined;
  };

  const beat = async () => {
    for (;;) {
      await clock.sleep(heartbeat, stopped.signal);
      for (const response of clients.keys()) write(response, 'event: beat\ndata: {}\n\n');
    }
  };
  // Ends only by `close`.
  beat().catch(() => undefined);

  return {
    publish(room, json) {
      sequence += 1;
      const event = { sequence, room, text: frame({ event: 'message', data: json, at: sequence }) };
      past.push(event);
      if (past.length > kept) past.shift();
      for (const [response, theirs] of clients) if (theirs === room) write(response, event.text);
    },

    async open(response, { room, lastEventId }) {
      if (clients.size >= maxClients) return false;
      // Reading takes time: what is published meanwhile follows from the mark, none twice, none missed.
      let mark = resumePoint(lastEventId);
      const begin: string[] = ['retry: 1000\n\n'];
      if (mark === undefined) {
        mark = sequence;
        begin.push(frame({ event: 'snapshot', data: `[${(await recent(room)).join(',')}]`, at: mark }));
      }
      if (clients.size >= maxClients) return false;
      if (response.destroyed) return true;
      const seen = mark;
      for (const event of past) if (event.sequence > seen && event.room === room) begin.push(event.text);
      response.writeHead(200, {
        ...securityHeaders,
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
      response.once('close', () => clients.delete(response));
      clients.set(response, room);
      response.write(begin.join(''));
      return true;
    },

    close() {
      stopped.abort();
      for (const response of clients.keys()) response.end();
    },
  };
}
