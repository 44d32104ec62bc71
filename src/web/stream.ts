import { timeZone } from './time.ts';

export type ConnectionState = 'connecting' | 'open' | 'lost';

/** Health comes every 2 s: a connection silent for longer than this is dead, whatever the browser thinks. */
const silence = 10_000;
const retry = 1_000;

const events = ['hello', 'health', 'board', 'board.patch', 'alerts', 'alert', 'snapshot', 'message', 'beat'];

/**
 * Listens to a room, coming back by itself whatever happens.
 * @param take told of each event, and of `connection` with its state
 * @returns `again` listens anew, so that everything is told from the beginning
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
      // The browser retries a broken line by itself, with what it saw last; a refused one it gives up.
      if (opened.readyState === EventSource.CLOSED) reopen(retry);
      else take('connection', 'lost');
    });
  };
  open();
  return { again: open };
}
