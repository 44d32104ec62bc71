import WebSocket from 'ws';
import type { WallClock } from '../../runtime/clock.ts';
import { hour, minute, second } from '../../runtime/units.ts';
import { tunnel } from './tunnel.ts';

export interface StreamOptions {
  readonly url: string;
  /**
   * Wall ms without an event after which the stream counts as dead, though its socket is alive: Binance's URLs from before
   * 2026 still accept connections but send nothing. Absent: events may be rare, and only `ping` shows whether it is dead.
   */
  readonly silence?: number | undefined;
  readonly wall: WallClock;
  /** Returns a random number from 0 to 1, for the jitter of reconnecting. */
  readonly random: () => number;
  readonly signal: AbortSignal;
  /**
   * Called with each message. A call may come late, and around a reconnect the same message may come twice. Returns false
   * for a message that is no event, such as an acknowledgement: it proves that the socket is alive, but ends no silence.
   */
  readonly onMessage: (text: string) => unknown;
  /** Returns the messages that subscribe. Each is sent once on a connection: new ones later, at the next look for a silence. */
  readonly subscriptions?: (() => readonly string[]) | undefined;
  /**
   * A ping to send every `every` wall ms. The server answers each, so a socket on which nothing at all arrives for several of
   * them is dead: a connection may break without a close. `text` is for servers that do not answer the protocol's own pings.
   */
  readonly ping?: Ping | undefined;
  readonly proxy?: string | undefined;
  /** Called with the reason when the stream is interrupted. The problem is over when the next message arrives. */
  readonly onProblem: (problem: string) => void;
}

export interface Ping {
  readonly every: number;
  readonly text?: string;
}

/** The exchange closes a connection after 24 h, so it is renewed earlier. */
const renewAfter = 23 * hour;
const lateMessageWait = 100;
/** After how many pings without any message a socket is given up: one answer may be late or lost. */
const unansweredPings = 3;
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
        current.ended.then((reason) => {
          if (reason !== undefined && !next.isOpen()) options.onProblem(reason);
          return true;
        }),
      ]);
      failures = takesOver ? 0 : failures + 1;
      (takesOver ? current : next).close();
      if (takesOver) current = next;
      else await pause();
      continue;
    }
    current.close();
    if (problem === undefined) return;
    failures = current.hasWorked() ? 0 : failures + 1;
    options.onProblem(problem);
    await pause();
    if (!signal.aborted) current = connect(options);
  }
  current.close();
}

interface Connection {
  readonly renewalDue: Promise<undefined>;
  /** Resolves at the first event, see `onMessage`. */
  readonly firstEvent: Promise<true>;
  isOpen(): boolean;
  /** Whether there was an event or an answer to a ping: after others the pauses grow. */
  hasWorked(): boolean;
  /** Resolves with the reason why the connection is given up, or with undefined if the signal aborted. */
  readonly ended: Promise<string | undefined>;
  close(): void;
}

function connect({
  url,
  silence = Infinity,
  wall,
  signal,
  onMessage,
  subscriptions,
  ping,
  proxy,
}: StreamOptions): Connection {
  const openedAt = wall.now();
  let [lastEventAt, lastMessageAt] = [openedAt, openedAt];
  let [hasPinged, hasWorked] = [false, false];
  const deafness = ping === undefined ? Infinity : unansweredPings * ping.every;
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
    socket.on('pong', heard);
    socket.on('message', (data) => {
      heard();
      if (onMessage(data.toString()) === false) return;
      lastEventAt = lastMessageAt;
      hasWorked = true;
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
    isOpen: () => socket.readyState === WebSocket.OPEN,
    hasWorked: () => hasWorked,
    ended: Promise.race([closed, silenceReason, aborted]),
    close() {
      ending.abort();
      socket.terminate();
    },
  };

  function heard(): void {
    lastMessageAt = wall.now();
    if (hasPinged) hasWorked = true;
  }

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
      if (now - lastEventAt >= silence && !(await isLate(() => lastEventAt))) return unheard(silence);
      if (now - lastMessageAt >= deafness && !(await isLate(() => lastMessageAt))) return unheard(deafness);
      const isYoung = now - openedAt < renewAfter;
      if (!isYoung) renewalDue.resolve(undefined);
      const next = Math.min(
        lastEventAt + silence,
        lastMessageAt + deafness,
        isYoung ? openedAt + renewAfter : Infinity,
      );
      await wall.sleep(next - now, stop);
    }
  }

  async function keepPinging({ every, text }: Ping) {
    while (socket.readyState === WebSocket.OPEN) {
      await wall.sleep(every, ending.signal).catch(() => {});
      if (socket.readyState !== WebSocket.OPEN) return;
      if (text === undefined) socket.ping();
      else socket.send(text);
      hasPinged = true;
    }
  }

  /**
   * Waits briefly and returns whether a message has arrived: on a busy event loop a timer may fire before messages that
   * are already waiting.
   */
  async function isLate(lastAt: () => number): Promise<boolean> {
    const before = lastAt();
    await wall.sleep(lateMessageWait);
    return lastAt() !== before;
  }
}

const unheard = (time: number) => `nothing heard for ${Math.round(time / second)} s, though connected`;
