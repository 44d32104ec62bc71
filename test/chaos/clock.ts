import type { FakeClock } from '#test/support/clock.ts';

/** Ms of one tick: all sleepers that are due within a tick wake at its end. */
const tick = 100;
/** Turns of the event loop after which everything that was woken has come to rest. */
const turns = 12;

/** Creates a fake clock that advances in ticks, because waking the sleepers of many processes one by one takes long. */
export function tickingClock(begin: number): FakeClock {
  let time = begin;
  let sleepers: { at: number; wake: () => void }[] = [];
  const settle = async () => {
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    now: () => time,
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      return new Promise((resolve, reject) => {
        const leave = () => {
          sleepers = sleepers.filter((each) => each !== sleeper);
          reject(signal?.reason);
        };
        const sleeper = {
          at: time + Math.max(0, ms),
          wake() {
            signal?.removeEventListener('abort', leave);
            resolve();
          },
        };
        sleepers.push(sleeper);
        signal?.addEventListener('abort', leave, { once: true });
      });
    },
    async advance(ms) {
      await settle();
      for (const end = time + ms; time < end; ) {
        time = Math.min(end, time + tick);
        const due = sleepers.filter(({ at }) => at <= time).sort((a, b) => a.at - b.at);
        if (due.length === 0) continue;
        sleepers = sleepers.filter(({ at }) => at > time);
        for (const { wake } of due) wake();
        await settle();
      }
    },
  };
}
