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

/** What the tabs of a room tell each other: what the one that listens heard, and that another has come. */
type Shared = { readonly event: keyof Heard; readonly data: unknown } | { readonly joined: true };

/** Ms after which a tab that hears nothing of the one that listens says so. */
const silence = 12_000;

/**
 * Follows a room for as long as the page lives. Of all tabs of a room one listens and tells the others, as a browser has
 * six connections for all of them; when it is closed another takes its place. To one that joins how things are is told
 * by listening anew. Where tabs cannot agree, each listens for itself.
 */
export function follow(room: string, heard: Heard): void {
  // Each event has its own shape of data, which a name that comes by wire cannot say.
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
    // Held until the tab is gone.
    return new Promise<never>(() => {});
  };
  void navigator.locks.request(name, lead);
}
