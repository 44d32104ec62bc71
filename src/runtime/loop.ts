import { setImmediate } from 'node:timers/promises';
import type { WallClock } from './clock.ts';

/**
 * Work that repeats until it is stopped: after each turn the loop sleeps for as long as the turn returned, or until it
 * is woken.
 */
export interface Loop {
  /** Ends the sleep, because there is something to do. */
  wake(): void;
  /** Stops the loop. Resolves when the current turn has ended. */
  stop(): Promise<void>;
}

const wokenUp = new Error('there is something to do');
/** How long a loop rests after a turn that threw, ms. */
const pauseAfterFailure = 1_000;

/**
 * Starts a loop.
 * @param turn returns how long to sleep, wall ms; Infinity: until woken
 * @param onError called when a turn throws; the loop continues
 */
export function startLoop(
  turn: () => Promise<number>,
  { wall, onError }: { readonly wall: WallClock; readonly onError: (error: unknown) => void },
): Loop {
  let stopped = false;
  let woken = false;
  let sleeping = new AbortController();

  const run = async () => {
    while (!stopped) {
      woken = false;
      let pause: number;
      try {
        pause = await turn();
      } catch (error) {
        onError(error);
        pause = pauseAfterFailure;
      }
      // SQLite queries finish within one turn of the event loop: without this pause, sockets would never be read.
      await setImmediate();
      if (stopped || woken || pause <= 0) continue;
      sleeping = new AbortController();
      await wall.sleep(pause, sleeping.signal).catch(() => {});
    }
  };
  const done = run();
  const wake = () => {
    woken = true;
    // A shared reason is passed because the default reason is a new error with a stack at each call.
    sleeping.abort(wokenUp);
  };
  return {
    wake,
    stop() {
      stopped = true;
      wake();
      return done;
    },
  };
}
