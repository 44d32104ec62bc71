import type { WebMessage } from '../platforms/web/message.ts';
import type { AlertRow } from '../platforms/web/ports/alert-feed.ts';
import type { BoardEntries, BoardPatch } from '../platforms/web/ports/board.ts';
import type { Health } from './model.ts';
import { type ConnectionState, openStream } from './stream.ts';
import { language } from './words.ts';

interface EventHandlers {
  readonly connection: (state: ConnectionState) => void;
  /** Why the bot refuses the stream; undefined if it does not. */
  readonly refused: (reason: string | undefined) => void;
  readonly hello: (given: { readonly language: string }) => void;
  readonly health: (health: Health) => void;
  readonly board: (entries: BoardEntries) => void;
  readonly 'board.patch': (patch: BoardPatch) => void;
  readonly alerts: (rows: readonly AlertRow[]) => void;
  readonly alert: (rows: readonly AlertRow[]) => void;
  readonly snapshot: (messages: readonly WebMessage[]) => void;
  readonly message: (message: WebMessage) => void;
}

/**
 * A message between tabs of a room: an event that the leading tab has received, or the news that another tab has
 * opened.
 */
type TabMessage = { readonly event: keyof EventHandlers; readonly data: unknown } | { readonly joined: true };

/** After so many ms without an event from the leading tab, a tab shows the connection as lost. */
const silenceTimeout = 12_000;

/**
 * Follows a room for as long as the page is open. Browsers allow six connections to a server, so of all tabs of a room
 * only one, the leading tab, holds a connection and passes its events on. When that tab closes, another takes over.
 * When another tab opens, the leading tab reconnects, so that the new tab gets the whole state. If the browser has no
 * locks, each tab has its own connection.
 */
export function followRoom(room: string, handlers: EventHandlers): void {
  // TypeScript cannot derive the shape of an event's data from a name that is received.
  const dispatch = (event: string, data: unknown) =>
    (handlers[event as keyof EventHandlers] as ((data: never) => void) | undefined)?.(data as never);
  if (navigator.locks === undefined) {
    openStream(room, dispatch);
    return;
  }
  const name = `tocsin ${room} ${language}`;
  const channel = new BroadcastChannel(name);
  let watchdog = 0;
  const resetWatchdog = () => {
    clearTimeout(watchdog);
    watchdog = window.setTimeout(() => handlers.connection('lost'), silenceTimeout);
  };
  channel.onmessage = ({ data: message }: MessageEvent<TabMessage>) => {
    if ('joined' in message) return;
    resetWatchdog();
    dispatch(message.event, message.data);
  };
  resetWatchdog();
  channel.postMessage({ joined: true } satisfies TabMessage);

  const becomeLeader = () => {
    clearTimeout(watchdog);
    const stream = openStream(room, (event, data) => {
      dispatch(event, data);
      channel.postMessage({ event: event as keyof EventHandlers, data } satisfies TabMessage);
    });
    channel.onmessage = ({ data: message }: MessageEvent<TabMessage>) => {
      if ('joined' in message) stream.reconnect();
    };
    // The lock is held until the tab is closed.
    return new Promise<never>(() => {});
  };
  void navigator.locks.request(name, becomeLeader);
}
