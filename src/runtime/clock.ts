import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds since the epoch, UTC. */
export interface Clock {
  now(): number;
}

/** Wall time, which sockets, retries and timeouts live by. `sleep` rejects with the signal's reason. */
export interface WallClock extends Clock {
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const wallClock: WallClock = {
  now: () => Date.now(),
  // setTimeout fires at once above 2^31-1 ms.
  sleep: (ms, signal) =>
    delay(Math.min(Math.max(0, ms), 2 ** 31 - 1), undefined, signal === undefined ? {} : { signal }),
};

/** Ms that go on evenly, from any beginning: by it is told how long something lasts, whatever is done to the clock. */
export const steadyClock: Clock = { now: () => performance.now() };

/** The same, to wait by. */
export const steadyWait: WallClock = { now: steadyClock.now, sleep: wallClock.sleep };

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
  // Whole milliseconds, also at 2.5 × or from an anchor between two: Postgres takes no others for its bigints.
  const now = () => Math.floor(anchor.market + (wall.now() - anchor.wall) * anchor.speed);
  return { now, speed: anchor.speed, wallUntil: (at) => Math.max(0, (at - now()) / anchor.speed) };
};

/** With live or hosted data the two times are one. */
export const realTime = (wall: Clock): MarketClock => marketClock(wall, { market: 0, wall: 0, speed: 1 });
