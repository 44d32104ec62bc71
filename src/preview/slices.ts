import { setImmediate } from 'node:timers/promises';
import type { WallClock } from '../runtime/clock.ts';

/** How long a replay works before everything else has its turn, wall ms. */
const sliceLength = 10;

/** Resolves at once, or after a rest if the slice is over. Whoever replays awaits it before each piece of work. */
export type SlicePause = () => Promise<void>;

/** Replays run in the bot's own thread, in slices so short that nothing else notices them. */
export interface Slices {
  /** Runs work that a person waits for: between two slices everything that is due has its turn. */
  urgently<Result>(work: (pause: SlicePause) => Promise<Result>): Promise<Result>;
  /** The pause of work that nobody waits for: it takes at most half of the time, and none during urgent work. */
  readonly background: SlicePause;
}

/** @param elapsed returns ms that never jump */
export function createSlices(
  wall: WallClock,
  signal: AbortSignal,
  elapsed: () => number = () => performance.now(),
): Slices {
  let urgent = 0;
  const createPause = (rest: () => Promise<unknown>): SlicePause => {
    let began = elapsed();
    let resting: Promise<void> | undefined;
    return async () => {
      // Checked again after a rest, as many may have waited for it.
      while (elapsed() - began >= sliceLength) {
        resting ??= rest().then(() => {
          began = elapsed();
          resting = undefined;
        });
        await resting;
      }
    };
  };
  return {
    async urgently(work) {
      urgent += 1;
      try {
        return await work(createPause(() => setImmediate()));
      } finally {
        urgent -= 1;
      }
    },
    background: createPause(async () => {
      do await wall.sleep(sliceLength, signal);
      while (urgent > 0);
    }),
  };
}
