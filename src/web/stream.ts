import { timeZone } from './time.ts';

export type ConnectionState = 'connecting' | 'open' | 'lost';

/**
 * Health arrives every 2 s, so a connection without events for longer than this is dead, even if the browser reports it
 * as open.
 */
const silence = 10_000;
const retry = 1_000;

const events = ['hello', 'health', 'board', 'board.patch', 'alerts', 'alert', 'snapshot', 'message', 'beat'];

/**
 * Opens the event stream of a room and reconnects whenever it breaks.
 * @param take called with each event, and with `connection` and its state
 * @returns `again` reconnects, so that the whole state is sent again
 */
export function openStream(room: string, take: (event: string, data: unknown) => void): { again(): void } {
  let watchdog = 0;
  let source: EventSource | undefined;

  const open = () => {
    source?.close();
    const opened = new EventSource(`/api/events?${new URLSearchParams({ room, timeZone })}`);
    source = opened;
    const reopen = (after: number) => {
      opened.close();
      clearTimeout(watchdog);
      take('connection', 'lost');
      watchdog = window.setTimeout(open, after);
    };
    const alive = () => {
      take('connection', 'open');
      clearTimeout(watchdog);
      watchdog = window.setTimeout(() => reopen(0), silence);
    };
    opened.addEventListener('open', alive);
    for (const event of events)
      opened.addEventListener(event, ({ data }: MessageEvent<string>) => {
        alive();
        take(event, JSON.parse(data));
      });
    opened.addEventListener('error', () => {
      // The browser retries a broken connection itself, with the last event id; after a refused one it gives up.
      if (opened.readyState === EventSource.CLOSED) reopen(retry);
      else take('connection', 'lost');
    });
  };
  open();
  return { again: open };
}
