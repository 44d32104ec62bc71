import { minute, second } from './lengths.ts';

/** A source of time. Unless said otherwise, `now` returns milliseconds since the epoch, UTC. */
export interface Clock {
  now(): number;
}

/** Wall time, which is used for sockets, retries and timeouts. `sleep` rejects with the signal's reason. */
export interface WallClock extends Clock {
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const wallClock: WallClock = {
  now: () => Date.now(),
  sleep(ms, signal) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // `timers/promises` would make a new error with a stack trace for each sleep that is cut short.
    const giveUp = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const wake = () => {
      signal?.removeEventListener('abort', giveUp);
      resolve();
    };
    // setTimeout fires at once above 2^31-1 ms.
    const timer = setTimeout(wake, Math.min(Math.max(0, ms), 2 ** 31 - 1));
    if (signal?.aborted) giveUp();
    else signal?.addEventListener('abort', giveUp, { once: true });
    return promise;
  },
};

/**
 * A clock in ms that never jumps and starts at an arbitrary value. It measures durations, even if the system clock is
 * set meanwhile.
 */
export const steadyClock: Clock = { now: () => performance.now() };

/**
 * A clock for ages and pauses: it goes on where the other is set back, which would leave for hours as recent what was long ago.
 * Unlike a steady clock it counts the time in which the machine has slept.
 */
export function onlyForward({ now, sleep }: WallClock): WallClock {
  let last = now();
  let setBack = 0;
  return {
    now() {
      const at = now();
      setBack += Math.max(0, last - at);
      last = at;
      return at + setBack;
    },
    sleep,
  };
}

/** Market time: linear in wall time from an anchor. `speed` is market seconds per wall second. */
export interface MarketClock extends Clock {
  readonly speed: number;
  /** Wall milliseconds until market time reaches `at`; 0 if it has. */
  wallUntil(at: number): number;
}

export const marketClock = (
  wall: Clock,
  anchor: { readonly market: number; readonly wall: number; readonly speed: number },
): MarketClock => {
  // Whole milliseconds, also at a speed of 2.5 or with a fractional anchor: Postgres accepts only integers for its bigints.
  const now = () => Math.floor(anchor.market + (wall.now() - anchor.wall) * anchor.speed);
  return { now, speed: anchor.speed, wallUntil: (at) => Math.max(0, (at - now()) / anchor.speed) };
};

/**
 * How far an outside time may lie ahead of the clock that explains it, market ms: clocks differ, and at a fast market's speed
 * an answer is long under way. Anything later is refused: a time from the future, once believed, holds up all that follows.
 */
export const maxAhead = (speed: number): number => Math.max(minute, 5 * second * speed);

/** With live or hosted data, market time is wall time. */
export const realTime = (wall: Clock): MarketClock => marketClock(wall, { market: 0, wall: 0, speed: 1 });
