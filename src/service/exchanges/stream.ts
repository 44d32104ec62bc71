import WebSocket from 'ws';
import type { WallClock } from '../../runtime/clock.ts';
import { hour, minute, second } from '../../runtime/units.ts';
import { tunnel } from './tunnel.ts';

export interface StreamOptions {
  readonly url: string;
  /**
   * Wall ms without a message after which the socket counts as dead. An acknowledged subscription does not prove that
   * events follow: Binance's URLs from before 2026 still accept connections but send nothing.
   */
  readonly silence: number;
  readonly wall: WallClock;
  /** Returns a random number from 0 to 1, for the jitter of reconnecting. */
  readonly random: () => number;
  readonly signal: AbortSignal;
  /**
   * Called with each message. A call may come late, and around a reconnect the same message may come twice. Returns false
   * for a message that is no event, such as an acknowledgement: such a message does not end a silence.
   */
  readonly onMessage: (text: string) => unknown;
  /** Returns the messages to send after connecting. */
  readonly greet?: (() => readonly string[]) | undefined;
  /** A text to send every `every` wall ms, for servers that do not use the WebSocket protocol's own pings. */
  readonly ping?: { readonly every: number; readonly text: string } | undefined;
  /** URL of an HTTP or HTTPS proxy. */
  readonly proxy?: string | undefined;
  /** Called with the reason when the stream is interrupted. The problem is over when the next message arrives. */
  readonly onProblem: (problem: string) => void;
}

/** The exchange closes a connection after 24 h, so it is renewed earlier. */
const lifetime = 23 * hour;
const patience = 100;
const firstDelay = 500;
const longestDelay = minute;
const messageLimit = 4 * 1024 * 1024;

/**
 * Keeps one subscription alive, reconnecting with backoff and jitter, until the signal aborts. Never rejects. A connection
 * that is due for renewal stays open until its successor has received a message, so that no event is lost; events that
 * both receive are delivered twice.
 */
export async function keepStream(options: StreamOptions): Promise<void> {
  const { wall, random, signal } = options;
  let failures = 0;
  // Full jitter, so that after an outage the clients do not all reconnect at once.
  const pause = () =>
    wall.sleep(random() * Math.min(longestDelay, firstDelay * 2 ** failures), signal).catch(() => {});

  let current = connect(options);
  while (!signal.aborted) {
    const problem = await Promise.race([current.ended, current.old]);
    if (problem === undefined && !signal.aborted) {
      const next = connect(options);
      const takesOver = await Promise.race([
        next.heard,
        next.ended.then(() => false),
        current.ended.then(() => true),
      ]);
      failures = takesOver ? 0 : failures + 1;
      (takesOver ? current : next).close();
      if (takesOver) current = next;
      else await pause();
      continue;
    }
    current.close();
    if (problem === undefined) return;
    failures = current.spoke() ? 0 : failures + 1;
    options.onProblem(problem);
    await pause();
    if (!signal.aborted) current = connect(options);
  }
  current.close();
}

interface Connection {
  /** Resolves when the connection is due for renewal. */
  readonly old: Promise<undefined>;
  /** Resolves at the first event, see `onMessage`. */
  readonly heard: Promise<true>;
  spoke(): boolean;
  /** Resolves with the reason why the connection is given up, or with undefined if the signal aborted. */
  readonly ended: Promise<string | undefined>;
  close(): void;
}

function connect({ url, silence, wall, signal, onMessage, greet, ping, proxy }: StreamOptions): Connection {
  const opened = wall.now();
  let last = opened;
  let spoken = false;
  const heard = Promise.withResolvers<true>();
  const old = Promise.withResolvers<undefined>();
  const ending = new AbortController();
  const socket = new WebSocket(url, {
    handshakeTimeout: 10 * second,
    maxPayload: messageLimit,
    ...(proxy !== undefined && {
      createConnection: tunnel(proxy, url.startsWith('wss:') ? 'wss:' : 'ws:'),
    }),
  });

  const closed = new Promise<string>((resolve) => {
    // ws answers the exchange's pings by itself.
    socket.on('message', (data) => {
      if (onMessage(data.toString()) === false) return;
      last = wall.now();
      spoken = true;
      heard.resolve(true);
    });
    socket.on('open', () => {
      for (const text of greet?.() ?? []) socket.send(text);
      if (ping !== undefined) void keepPinging(ping);
    });
    socket.on('error', (error) => resolve(`the stream cannot be reached: ${error.message}`));
    socket.on('close', (code) => resolve(`the stream was closed (${code})`));
  });
  const silent = watch(ending.signal).catch(() => undefined);
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { signal: ending.signal });
  });

  return {
    old: old.promise,
    heard: heard.promise,
    spoke: () => spoken,
    ended: Promise.race([closed, silent, aborted]),
    close() {
      ending.abort();
      socket.terminate();
    },
  };

  /** Resolves with a reason when the connection has been silent too long. Rejects when `stop` aborts. */
  async function watch(stop: AbortSignal): Promise<string> {
    for (;;) {
      const now = wall.now();
      if (now - last >= silence && !(await lateMessage()))
        return `nothing heard for ${Math.round(silence / second)} s, though connected`;
      const young = now - opened < lifetime;
      if (!young) old.resolve(undefined);
      await wall.sleep(Math.min(last + silence, young ? opened + lifetime : Infinity) - now, stop);
    }
  }

  async function keepPinging({ every, text }: { readonly every: number; readonly text: string }) {
    while (socket.readyState === WebSocket.OPEN) {
      await wall.sleep(every, ending.signal).catch(() => {});
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    }
  }

  /**
   * Waits briefly and returns whether a message has arrived: on a busy event loop a timer may fire before messages that
   * are already waiting.
   */
  async function lateMessage(): Promise<boolean> {
    const before = last;
    await wall.sleep(patience);
    return last !== before;
  }
}
