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
  /** Returns the messages that subscribe. Each is sent once on a connection: new ones later, after `silence` at most. */
  readonly subscriptions?: (() => readonly string[]) | undefined;
  /** A text to send every `every` wall ms, for servers that do not use the WebSocket protocol's own pings. */
  readonly ping?: { readonly every: number; readonly text: string } | undefined;
  /** URL of an HTTP or HTTPS proxy. */
  readonly proxy?: string | undefined;
  /** Called with the reason when the stream is interrupted. The problem is over when the next message arrives. */
  readonly onProblem: (problem: string) => void;
}

/** The exchange closes a connection after 24 h, so it is renewed earlier. */
const renewAfter = 23 * hour;
const lateMessageWait = 100;
const minDelay = 500;
const maxDelay = minute;
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
    wall.sleep(random() * Math.min(maxDelay, minDelay * 2 ** failures), signal).catch(() => {});

  let current = connect(options);
  while (!signal.aborted) {
    const problem = await Promise.race([current.ended, current.renewalDue]);
    if (problem === undefined && !signal.aborted) {
      const next = connect(options);
      const takesOver = await Promise.race([
        next.firstEvent,
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
    failures = current.hasReceived() ? 0 : failures + 1;
    options.onProblem(problem);
    await pause();
    if (!signal.aborted) current = connect(options);
  }
  current.close();
}

interface Connection {
  /** Resolves when the connection is due for renewal. */
  readonly renewalDue: Promise<undefined>;
  /** Resolves at the first event, see `onMessage`. */
  readonly firstEvent: Promise<true>;
  hasReceived(): boolean;
  /** Resolves with the reason why the connection is given up, or with undefined if the signal aborted. */
  readonly ended: Promise<string | undefined>;
  close(): void;
}

function connect({
  url,
  silence,
  wall,
  signal,
  onMessage,
  subscriptions,
  ping,
  proxy,
}: StreamOptions): Connection {
  const openedAt = wall.now();
  let lastEventAt = openedAt;
  let hasReceived = false;
  const firstEvent = Promise.withResolvers<true>();
  const renewalDue = Promise.withResolvers<undefined>();
  const ending = new AbortController();
  const subscribed = new Set<string>();
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
      lastEventAt = wall.now();
      hasReceived = true;
      firstEvent.resolve(true);
    });
    socket.on('open', () => {
      subscribe();
      if (ping !== undefined) void keepPinging(ping);
    });
    socket.on('error', (error) => resolve(`the stream cannot be reached: ${error.message}`));
    socket.on('close', (code) => resolve(`the stream was closed (${code})`));
  });
  const silenceReason = watchForSilence(ending.signal).catch(() => undefined);
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { signal: ending.signal });
  });

  return {
    renewalDue: renewalDue.promise,
    firstEvent: firstEvent.promise,
    hasReceived: () => hasReceived,
    ended: Promise.race([closed, silenceReason, aborted]),
    close() {
      ending.abort();
      socket.terminate();
    },
  };

  function subscribe(): void {
    if (socket.readyState !== WebSocket.OPEN) return;
    for (const text of subscriptions?.() ?? []) {
      if (!subscribed.has(text)) socket.send(text);
      subscribed.add(text);
    }
  }

  /** Resolves with a reason when the connection has been silent too long. Rejects when `stop` aborts. */
  async function watchForSilence(stop: AbortSignal): Promise<string> {
    for (;;) {
      subscribe();
      const now = wall.now();
      if (now - lastEventAt >= silence && !(await lateMessage()))
        return `nothing heard for ${Math.round(silence / second)} s, though connected`;
      const isYoung = now - openedAt < renewAfter;
      if (!isYoung) renewalDue.resolve(undefined);
      await wall.sleep(
        Math.min(lastEventAt + silence, isYoung ? openedAt + renewAfter : Infinity) - now,
        stop,
      );
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
    const before = lastEventAt;
    await wall.sleep(lateMessageWait);
    return lastEventAt !== before;
  }
}
