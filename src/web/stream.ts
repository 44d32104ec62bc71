import { timeZone } from './time.ts';

export type ConnectionState = 'connecting' | 'open' | 'lost';

/**
 * Health arrives every 2 s, so a connection without events for longer than this is dead, even if the browser reports it
 * as open.
 */
const silenceTimeout = 10_000;
const retryDelay = 1_000;

const events = ['hello', 'health', 'board', 'board.patch', 'alerts', 'alert', 'snapshot', 'message', 'beat'];

/** Returns why the bot refuses a stream, if it says so: an EventSource tells neither the status nor the text. */
async function refusalOf(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(silenceTimeout) });
    // The token was changed, the cookie has expired, or a member has left the chat: the reloaded page knows what to show.
    if (response.status === 401 || response.status === 403) location.reload();
    if (response.status === 503) return (await response.json()).error;
    await response.body?.cancel();
  } catch {
    // The bot cannot be reached, or something else has answered in its place.
  }
  return undefined;
}

/**
 * Opens the event stream of a room and reconnects whenever it breaks.
 * @param onEvent called with each event, with `connection` and its state, and with `refused` and the reason if the
 *   connection is lost
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
    const url = `/api/events?${new URLSearchParams({ room, timeZone })}`;
    const opened = new EventSource(url);
    source = opened;
    clearTimeout(watchdog);
    const onActivity = () => {
      onEvent('connection', 'open');
      clearTimeout(watchdog);
      watchdog = window.setTimeout(() => {
        onEvent('connection', 'lost');
        connect();
      }, silenceTimeout);
    };
    opened.addEventListener('open', onActivity);
    for (const event of events)
      opened.addEventListener(event, ({ data }: MessageEvent<string>) => {
        onActivity();
        onEvent(event, JSON.parse(data));
      });
    opened.addEventListener('error', async () => {
      onEvent('connection', 'lost');
      // The browser retries a broken connection itself, with the last event id; after a refused one it gives up.
      const isRefused = opened.readyState === EventSource.CLOSED;
      if (isRefused) clearTimeout(watchdog);
      const reason = isRefused ? await refusalOf(url) : undefined;
      if (source !== opened) return;
      onEvent('refused', reason);
      if (isRefused) watchdog = window.setTimeout(connect, retryDelay);
    });
  };
  connect();
  return { reconnect: connect };
}
