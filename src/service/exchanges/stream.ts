import WebSocket from 'ws';
import type { WallClock } from '../../runtime/clock.ts';
import { hour, minute, second } from '../../runtime/units.ts';

export interface StreamOptions {
  readonly url: string;
  /**
   * Wall ms without a message after which the socket counts as dead. An acknowledged subscription proves nothing:
   * the routes of before 2026 still connect, and stay silent.
   */
  readonly silence: number;
  readonly wall: WallClock;
  /** 0 to 1, for the jitter of reconnecting. */
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** May be called late and twice with the same message: the exchange repeats nothing, a reconnect may. */
  readonly onMessage: (text: string) => void;
  /** Why nothing is heard; the next message ends it. */
  readonly onProblem: (problem: string) => void;
}

/** The exchange ends a connection at 24 h: it is renewed before. */
const lifetime = 23 * hour;
const patience = 100;
const firstDelay = 500;
const longestDelay = minute;
const messageLimit = 4 * 1024 * 1024;

/** Keeps one subscription alive, reconnecting with backoff and jitter, until the signal. Never rejects. */
export async function keepStream(options: StreamOptions): Promise<void> {
  const { wall, random, signal } = options;
  let failures = 0;
  while (!signal.aborted) {
    const { heard, problem } = await connect(options);
    failures = heard ? 0 : failures + 1;
    if (signal.aborted) return;
    if (problem !== undefined) options.onProblem(problem);
    // Full jitter: after an outage the clients do not come back all at once.
    const delay = problem === undefined ? 0 : random() * Math.min(longestDelay, firstDelay * 2 ** failures);
    await wall.sleep(delay, signal).catch(() => {});
  }
}

/** One connection, from its opening to its end. */
async function connect(options: StreamOptions): Promise<{ heard: boolean; problem: string | undefined }> {
  const { url, silence, wall, signal, onMessage } = options;
  const opened = wall.now();
  let last = opened;
  let heard = false;
  const ended = new AbortController();
  const socket = new WebSocket(url, { handshakeTimeout: 10 * second, maxPayload: messageLimit });

  const closed = new Promise<string>((resolve) => {
    // ws answers the exchange's pings by itself.
    socket.on('message', (data) => {
      last = wall.now();
      heard = true;
      onMessage(data.toString());
    });
    socket.on('error', (error) => resolve(`the stream cannot be reached: ${error.message}`));
    socket.on('close', (code) => resolve(`the stream was closed (${code})`));
  });
  const silent = watch(ended.signal).catch(() => undefined);
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { signal: ended.signal });
  });

  const problem = await Promise.race([closed, silent, aborted]);
  ended.abort();
  socket.terminate();
  return { heard, problem };

  /** Ends with the reason why this connection is given up; undefined: it is merely old. */
  async function watch(stop: AbortSignal): Promise<string | undefined> {
    for (;;) {
      const now = wall.now();
      if (now - last >= silence && !(await lateMessage()))
        return `nothing heard for ${Math.round(silence / second)} s, though connected`;
      if (now - opened >= lifetime) return undefined;
      await wall.sleep(Math.min(last + silence, opened + lifetime) - now, stop);
    }
  }

  /** A timer may fire before messages that waited for a busy event loop. */
  async function lateMessage(): Promise<boolean> {
    const before = last;
    await wall.sleep(patience);
    return last !== before;
  }
}
