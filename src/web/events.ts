import type { WebMessage } from '../platforms/web/message.ts';

export type ConnectionState = 'connecting' | 'open' | 'lost';

/** The server beats every 15 s; a line silent for longer is dead, whatever the browser thinks. */
const silence = 40_000;
const retry = 2_000;

/** Follows a room for as long as the page lives, coming back by itself whatever happens. */
export function follow(
  room: string,
  {
    message,
    connection,
  }: { message: (message: WebMessage) => void; connection: (state: ConnectionState) => void },
): void {
  let watchdog = 0;

  const open = () => {
    connection('connecting');
    const source = new EventSource(`/api/events?room=${encodeURIComponent(room)}`);
    const reopen = (after: number) => {
      source.close();
      clearTimeout(watchdog);
      connection('lost');
      watchdog = window.setTimeout(open, after);
    };
    const alive = () => {
      connection('open');
      clearTimeout(watchdog);
      watchdog = window.setTimeout(() => reopen(0), silence);
    };
    source.addEventListener('open', alive);
    source.addEventListener('beat', alive);
    source.addEventListener('snapshot', ({ data }: MessageEvent<string>) => {
      alive();
      for (const each of JSON.parse(data) as WebMessage[]) message(each);
    });
    source.addEventListener('message', ({ data }: MessageEvent<string>) => {
      alive();
      message(JSON.parse(data) as WebMessage);
    });
    source.addEventListener('error', () => {
      // The browser retries a broken line by itself, with what it saw last; a refused one it gives up.
      if (source.readyState === EventSource.CLOSED) reopen(retry);
      else connection('lost');
    });
  };
  open();
}
