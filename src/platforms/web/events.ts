import type { ServerResponse } from 'node:http';
import type { Language } from '../../language/languages.ts';
import type { WallClock } from '../../runtime/clock.ts';
import { second } from '../../runtime/units.ts';
import { securityHeaders } from './guard.ts';

/** What a page receives depends only on its room, language and time zone. */
export interface Listener {
  readonly room: string;
  readonly language: Language;
  /** IANA name. */
  readonly timeZone: string;
}

/** Who holds a stream open, for the number of streams that they may hold. */
interface Holder {
  /** Undefined: not recognised, because the page is open to everyone. */
  readonly session: string | undefined;
  readonly isOperator: boolean;
  /** Of members: asks whether the holder may still look. Absent: nobody can lose that. */
  readonly mayStill?: (() => Promise<boolean>) | undefined;
}

export const listenerKey = ({ room, language, timeZone }: Listener): string =>
  [room, language, timeZone].join(' ');

/** An event that a page receives when its stream opens, besides the messages of its room. */
export interface Opening {
  readonly event: PageEvent;
  readonly data: string;
}
type PageEvent = 'hello' | 'board' | 'board.patch' | 'alerts' | 'alert' | 'health';

export type OpeningClient = Listener & Holder & { readonly lastEventId: string | undefined };

export interface Events {
  /** Sends one message (JSON) to everyone in the room. */
  publish(room: string, json: string): void;
  /**
   * Sends an event to all pages, or to those for which `dataFor` returns data. Only its newest state matters, so it is
   * not stored for resuming pages.
   */
  broadcast(event: PageEvent, dataFor: (listener: Listener) => string | undefined): void;
  /** Returns one listener of each group that receives the same. */
  listeners(): readonly Listener[];
  /**
   * Opens a page's stream: the current state, then the messages of its room since `lastEventId` if they are still
   * stored, else a snapshot of the recent messages, then everything new. Returns false, with nothing written, if there
   * are too many clients, or too many of this session; some places are kept for operators.
   */
  open(response: ServerResponse, client: OpeningClient): Promise<boolean>;
  close(): void;
}

interface Event {
  readonly sequence: number;
  readonly room: string;
  readonly text: string;
}

interface Beginning {
  /** Sequence number of the newest message that the client then has. */
  readonly position: number;
  readonly frames: readonly string[];
}

interface EventsOptions {
  readonly clock: WallClock;
  readonly recent: (room: string) => Promise<readonly string[]>;
  /** Returns the events of the current state. */
  readonly opening: (listener: Listener) => Promise<readonly Opening[]>;
}

/** Wall ms between two signs that a connection is alive. */
const heartbeat = 15 * second;
/** Bytes that may wait for a client before its connection is closed; it reconnects and resumes. */
const maxBuffered = 1_024 * 1_024;
/** Number of messages stored for clients that reconnect. */
const maxStored = 256;
const maxClients = 64;
/** How many of the clients only an operator may be. */
const keptForOperators = 16;
/** How many clients one session may have, and a member. */
const maxOfSession = 16;
const maxOfMember = 4;

/** Returns whether there is no place for another client of this holder. */
function isFull(clients: Iterable<Holder>, client: Holder): boolean {
  const { session, isOperator } = client;
  const all = [...clients];
  const viewers = all.filter((each) => !each.isOperator);
  const own = all.filter((each) => session !== undefined && each.session === session);
  const isMember = ({ mayStill }: Holder) => mayStill !== undefined;
  // Anybody may become a member: members leave room for those who have a token.
  const isFullOfMembers = all.filter(isMember).length >= maxClients / 2 || own.length >= maxOfMember;
  return (
    all.length >= maxClients ||
    (!isOperator && viewers.length >= maxClients - keptForOperators) ||
    own.length >= maxOfSession ||
    (isMember(client) && isFullOfMembers)
  );
}

/**
 * Sends server-sent events in one sequence: `snapshot` (Message[]), `message` (Message), the events of `broadcast`, and
 * `beat` (without it for a while, the connection is broken).
 */
export function createEvents({ clock, recent, opening }: EventsOptions): Events {
  /** Marks the ids of this process: ids of an earlier process are not valid here. */
  const epoch = clock.now().toString(36);
  const storedEvents: Event[] = [];
  const clients = new Map<ServerResponse, Listener & Holder>();
  const stopped = new AbortController();
  let sequence = 0;
  /** Sequence number of the newest message that is not stored any more. */
  let lastForgotten = 0;

  /** @param at where a client that has this event resumes; undefined: where it would have resumed before */
  const frame = (event: string, data: string, at?: number) =>
    `${at === undefined ? '' : `id: ${epoch}-${at}\n`}event: ${event}\ndata: ${data}\n\n`;

  const write = (response: ServerResponse, text: string) => {
    if (response.writableLength > maxBuffered) response.destroy();
    else response.write(text);
  };

  /** Returns the last event that a returning client has seen, if all messages since then are still stored. */
  const resumePoint = (lastEventId: string | undefined): number | undefined => {
    const [, eventEpoch, digits] = lastEventId?.match(/^([a-z0-9]+)-(\d{1,15})$/) ?? [];
    const seen = Number(digits);
    return eventEpoch === epoch && seen <= sequence && seen >= lastForgotten ? seen : undefined;
  };

  /**
   * Reads what a stream begins with. Messages published meanwhile are sent from its position on, so that none is missed
   * or sent twice.
   */
  const beginning = async (listener: Listener, lastEventId: string | undefined): Promise<Beginning> => {
    const resumed = resumePoint(lastEventId);
    const position = resumed ?? sequence;
    const messages = resumed === undefined ? await recent(listener.room) : undefined;
    // The state has no id: a client whose stream breaks before the snapshot must not resume after it.
    const frames = (await opening(listener)).map(({ event, data }) => frame(event, data));
    if (messages !== undefined) frames.push(frame('snapshot', `[${messages.join(',')}]`, position));
    return { position, frames };
  };

  /** Ends the stream of who may look no longer, or of whom that cannot be told: he is asked again when he comes back. */
  const recheck = async (response: ServerResponse, { mayStill }: Holder) => {
    if (mayStill !== undefined && !(await mayStill().catch(() => false))) response.end();
  };
  const beat = async () => {
    for (;;) {
      await clock.sleep(heartbeat, stopped.signal);
      for (const response of clients.keys()) write(response, frame('beat', '{}'));
      for (const [response, client] of clients) void recheck(response, client);
    }
  };
  // The loop ends only when `close` aborts its sleep.
  beat().catch(() => undefined);

  return {
    publish(room, json) {
      sequence += 1;
      const event = { sequence, room, text: frame('message', json, sequence) };
      storedEvents.push(event);
      if (storedEvents.length > maxStored) lastForgotten = storedEvents.shift()?.sequence ?? lastForgotten;
      for (const [response, listener] of clients) if (listener.room === room) write(response, event.text);
    },

    broadcast(event, dataFor) {
      if (clients.size === 0) return;
      sequence += 1;
      for (const [response, listener] of clients) {
        const data = dataFor(listener);
        if (data !== undefined) write(response, frame(event, data, sequence));
      }
    },

    listeners: () => [
      ...new Map(
        [...clients.values()].map(({ room, language, timeZone }) => {
          const listener = { room, language, timeZone };
          return [listenerKey(listener), listener];
        }),
      ).values(),
    ],

    async open(response, { lastEventId, ...client }) {
      const { session: _, isOperator: __, mayStill: ___, ...listener } = client;
      const { room } = listener;
      if (isFull(clients.values(), client)) return false;
      let first: Beginning;
      do first = await beginning(listener, lastEventId);
      while (first.position < lastForgotten);
      if (isFull(clients.values(), client)) return false;
      if (response.destroyed) return true;
      const firstFrames = ['retry: 1000\n\n', ...first.frames];
      for (const event of storedEvents)
        if (event.sequence > first.position && event.room === room) firstFrames.push(event.text);
      response.writeHead(200, {
        ...securityHeaders,
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
      response.once('close', () => clients.delete(response));
      clients.set(response, client);
      response.write(firstFrames.join(''));
      return true;
    },

    close() {
      stopped.abort();
      for (const response of clients.keys()) response.end();
    },
  };
}
