import { timeZone } from './time.ts';

export type ConnectionState = 'connecting' | 'open' | 'lost';

/**
 * Health arrives every 2 s, so a connection without events for longer than this is dead, even if the browser reports it
 * as open.
 */
const silenceTimeout = 10_000;
const retryDelay = 1_000;

const events = ['hello', 'health', 'board', 'board.patch', 'alerts', 'alert', 'snapshot', 'message', 'beat'];

/**
 * Opens the event stream of a room and reconnects whenever it breaks.
 * @param onEvent called with each event, and with `connection` and its state
 * @returns `reconnect` opens it anew, so that the whole state is sent again
 */
export function openStream(
  room: string,
  onEvent: (event: string, data: unknown) => void,
): { reconnect(): void } {
  let watchdog = 0;
  let source: EventSource | undefined;

  const connect = () => {
    source?.close();
    const opened = new EventSource(`/api/events?${new URLSearchParams({ room, timeZone })}`);
    source = opened;
    const reopen = (after: number) => {
      opened.close();
      clearTimeout(watchdog);
      onEvent('connection', 'lost');
      watchdog = window.setTimeout(connect, after);
    };
    const onActivity = () => {
      onEvent('connection', 'open');
      clearTimeout(watchdog);
      watchdog = window.setTimeout(() => reopen(0), silenceTimeout);
    };
    opened.addEventListener('open', onActivity);
    for (const event of events)
      opened.addEventListener(event, ({ data }: MessageEvent<string>) => {
        onActivity();
        onEvent(event, JSON.parse(data));
      });
    opened.addEventListener('error', () => {
      // The browser retries a broken connection itself, with the last event id; after a refused one it gives up.
      if (opened.readyState === EventSource.CLOSED) reopen(retryDelay);
      else onEvent('connection', 'lost');
    });
  };
  connect();
  return { reconnect: connect };
}
