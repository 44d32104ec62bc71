import type { WallClock } from '#src/runtime/clock.ts';

/** A wall clock that stands still until a test moves it. Sleepers wake in the order of their times. */
export interface FakeClock extends WallClock {
  /** Moves time and runs everything that wakes, and everything that this wakes in turn. */
  advance(ms: number): Promise<void>;
}

export function fakeClock(begin = 0): FakeClock {
  let time = begin;
  let sleepers: { at: number; wake: () => void }[] = [];
  // Several turns of the event loop, because work in progress may wait for sockets or for timers of 0 ms.
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    now: () => time,
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      return new Promise((resolve, reject) => {
        const sleeper = { at: time + Math.max(0, ms), wake: resolve };
        sleepers.push(sleeper);
        signal?.addEventListener(
          'abort',
          () => {
            sleepers = sleepers.filter((each) => each !== sleeper);
            reject(signal.reason);
          },
          { once: true },
        );
      });
    },
    async advance(ms) {
      const end = time + ms;
      await settle();
      for (;;) {
        const next = sleepers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        time = Math.max(time, next.at);
        sleepers = sleepers.filter((each) => each !== next);
        next.wake();
        await settle();
      }
      time = end;
      await settle();
    },
  };
}

/** Moves the clock second by second, and lets each access to a file that this begins come to its end before time goes on. */
export async function advanceReading(clock: FakeClock, ms: number): Promise<void> {
  const isReading = () => process.getActiveResourcesInfo().some((each) => each.startsWith('FSReq'));
  for (let left = ms; ; left -= 1_000) {
    do await clock.advance(0);
    while (isReading());
    if (left <= 0) return;
    await clock.advance(Math.min(left, 1_000));
  }
}
