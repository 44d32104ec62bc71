import { setImmediate as turn } from 'node:timers/promises';
import type { WallClock } from '#src/runtime/clock.ts';

interface Sleeper {
  readonly at: number;
  wake(): void;
}

/** After this many turns of the event loop in which no work began, only the passing of time can cause anything. */
const quiet = 5;

/** Creates a clock that jumps to the next awaited moment as soon as no work is left. */
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
    /** Wraps a port so that its calls count as work, as sleeping does. */
    counted: <Port extends object>(port: Port): Port =>
      new Proxy(port, {
        get(target, name) {
          begun += 1;
          return Reflect.get(target, name);
        },
      }),
    /** Lets time pass until `done`; throws if it is not done by `end`. */
    async until(done: () => boolean, end: number): Promise<void> {
      for (;;) {
        await settle();
        if (done()) return;
        let next: Sleeper | undefined;
        for (const each of sleepers) if (next === undefined || each.at < next.at) next = each;
        // A module is being loaded, which the clock cannot see.
        if (next === undefined) continue;
        if (next.at > end) throw new Error(`not so by ${new Date(end).toISOString()}`);
        sleepers.delete(next);
        now = next.at;
        next.wake();
      }
    },
  };
}
