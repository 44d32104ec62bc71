import { setImmediate } from 'node:timers/promises';
import type { WallClock } from './clock.ts';
import { ConfigError } from './errors.ts';
import { isOwnFault } from './own-fault.ts';

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

interface LoopOptions {
  readonly wall: WallClock;
  readonly onError: (error: unknown) => void;
  readonly onRecovery?: (() => void) | undefined;
}

/** Returns a text that two errors share if the second tells nothing new. */
const newsOf = (error: unknown): string =>
  error instanceof ConfigError || isOwnFault(error) ? String(error) : 'it may pass';

/**
 * Starts a loop.
 * @param turn returns how long to sleep, wall ms; Infinity: until woken
 * @param onError called when a turn throws; the loop continues. What may pass by itself, a database that is away say, is
 * told once until a turn succeeds
 * @param onRecovery called when a turn succeeds after one that threw; left out: nothing is told
 */
export function startLoop(turn: () => Promise<number>, { wall, onError, onRecovery }: LoopOptions): Loop {
  let stopped = false;
  let woken = false;
  let sleeping = new AbortController();
  let told: string | undefined;

  const run = async () => {
    while (!stopped) {
      woken = false;
      let pause: number;
      try {
        pause = await turn();
        if (told !== undefined) onRecovery?.();
        told = undefined;
      } catch (error) {
        const news = newsOf(error);
        if (news !== told) onError(error);
        told = news;
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
