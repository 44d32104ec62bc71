import { setImmediate as turn } from 'node:timers/promises';
import type { WallClock } from '#src/runtime/clock.ts';

interface Sleeper {
  readonly at: number;
  wake(): void;
}

/** Turns of the event loop in which nothing was begun: then only time can bring anything. */
const quiet = 5;

/** A clock that jumps to the next moment somebody waits for, as soon as nobody has anything left to do. */
export function virtualClock(begin: number) {
  let now = begin;
  let begun = 0;
  const sleepers = new Set<Sleeper>();

  const wall: WallClock = {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        begun += 1;
        if (signal?.aborted) return reject(signal.reason);
        const stop = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const sleeper = {
          at: now + Math.max(0, ms),
          wake() {
            signal?.removeEventListener('abort', stop);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', stop, { once: true });
      }),
  };

  async function settle(): Promise<void> {
    for (let still = 0, seen = begun; still < quiet; still += 1) {
      await turn();
      if (begun !== seen) [still, seen] = [-1, begun];
    }
  }

  return {
    wall,
    /** Whose calls count as something to do, beside sleeping. */
    counted: <Port extends object>(port: Port): Port =>
      new Proxy(port, {
        get(target, name) {
          begun += 1;
          return Reflect.get(target, name);
        },
      }),
    /** Lets time pass until it is so; fails where it is not by `end`. */
    async until(done: () => boolean, end: number): Promise<void> {
      for (;;) {
        await settle();
        if (done()) return;
        const [next] = [...sleepers].sort((a, b) => a.at - b.at);
        // Somebody loads a module, which no clock knows of.
        if (next === undefined) continue;
        if (next.at > end) throw new Error(`not so by ${new Date(end).toISOString()}`);
        sleepers.delete(next);
        now = next.at;
        next.wake();
      }
    },
  };
}
