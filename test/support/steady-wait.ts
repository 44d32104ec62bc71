import { steadyClock, type WallClock, wallClock } from '#src/runtime/clock.ts';

/** `steadyClock` with `sleep`. */
export const steadyWait: WallClock = { now: steadyClock.now, sleep: wallClock.sleep };
