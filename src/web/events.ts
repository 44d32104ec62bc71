import type { AlertRow } from '../platforms/alert-feed.ts';
import type { BoardEntries } from '../platforms/board.ts';
import type { WebMessage } from '../platforms/web/message.ts';
import type { Health } from './model.ts';
import { type ConnectionState, openStream } from './stream.ts';
import { language } from './words.ts';

export interface Heard {
  readonly connection: (state: ConnectionState) => void;
  readonly hello: (given: { readonly language: string }) => void;
  readonly health: (health: Health) => void;
  readonly board: (entries: BoardEntries) => void;
  readonly 'board.patch': (entries: BoardEntries) => void;
  readonly alerts: (rows: readonly AlertRow[]) => void;
  readonly alert: (rows: readonly AlertRow[]) => void;
  readonly snapshot: (messages: readonly WebMessage[]) => void;
  readonly message: (message: WebMessage) => void;
}

/** What tabs of a room send each other: an event that the listening tab received, or that another tab has opened. */
type Shared = { readonly event: keyof Heard; readonly data: unknown } | { readonly joined: true };

/** Ms after which a tab that hears nothing from the listening one says so. */
const silence = 12_000;

/**
 * Follows a room for as long as the page lives. Of all tabs of a room one holds the connection and passes its events
 * on, as a browser allows six connections to a server. When that tab closes another takes its place. For a tab that is
 * opened later the connection is made anew, so that it gets the whole state. Where the browser has no locks, each tab
 * has a connection of its own.
 */
export function follow(room: string, heard: Heard): void {
  // Each event has its own shape of data, which TypeScript cannot tell from a name that comes over the wire.
  const take = (event: string, data: unknown) =>
    (heard[event as keyof Heard] as ((data: never) => void) | undefined)?.(data as never);
  if (navigator.locks === undefined || typeof BroadcastChannel === 'undefined') {
    openStream(room, take);
    return;
  }
  const name = `tocsin ${room} ${language}`;
  const channel = new BroadcastChannel(name);
  let watchdog = 0;
  const alive = () => {
    clearTimeout(watchdog);
    watchdog = window.setTimeout(() => heard.connection('lost'), silence);
  };
  channel.onmessage = ({ data: message }: MessageEvent<Shared>) => {
    if ('joined' in message) return;
    alive();
    take(message.event, message.data);
  };
  alive();
  channel.postMessage({ joined: true } satisfies Shared);

  const lead = () => {
    clearTimeout(watchdog);
    const stream = openStream(room, (event, data) => {
      take(event, data);
      channel.postMessage({ event: event as keyof Heard, data } satisfies Shared);
    });
    channel.onmessage = ({ data: message }: MessageEvent<Shared>) => {
      if ('joined' in message) stream.again();
    };
    // The lock is held until the tab is closed.
    return new Promise<never>(() => {});
  };
  void navigator.locks.request(name, lead);
}
