import { setImmediate } from 'node:timers/promises';
import type { WallClock } from './clock.ts';

/** Work repeated until stopped: after each turn it rests as long as the turn said, or until woken. */
export interface Loop {
  /** There is something to do: the rest ends now. */
  wake(): void;
  /** Resolves when the turn under way has ended. */
  stop(): Promise<void>;
}

const awake = new Error('there is something to do');
/** How long a loop rests after a turn that threw, ms. */
const restAfterFailure = 1_000;

/**
 * @param turn returns the wall ms to rest; Infinity: until woken
 * @param onError told of a turn that threw; the loop goes on
 */
export function startLoop(
  turn: () => Promise<number>,
  { wall, onError }: { readonly wall: WallClock; readonly onError: (error: unknown) => void },
): Loop {
  let stopped = false;
  let woken = false;
  let rest = new AbortController();

  const run = async () => {
    while (!stopped) {
      woken = false;
      let pause: number;
      try {
        pause = await turn();
      } catch (error) {
        onError(error);
        pause = restAfterFailure;
      }
      // Queries on SQLite end within the same turn of the event loop: without this, sockets would never be read.
      await setImmediate();
      if (stopped || woken || pause <= 0) continue;
      rest = new AbortController();
      await wall.sleep(pause, rest.signal).catch(() => {});
    }
  };
  const done = run();
  const end = () => {
    woken = true;
    // With a reason of its own: the default one is made anew each time, with its stack.
    rest.abort(awake);
  };
  return {
    wake: end,
    stop() {
      stopped = true;
      end();
      return done;
    },
  };
}
