import { once } from 'node:events';
import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import type { WallClock } from './clock.ts';
import { startLoop } from './loop.ts';
import { minute } from './units.ts';

/** Looks within the time after which it ends the process. */
const looks = 8;

/** What its thread is given. */
export interface WatchdogData {
  /** How often the event loop has been seen to turn, and at the last turn whether a debugger may hold it (1). */
  readonly turns: Int32Array<SharedArrayBuffer>;
  /** Ms between two looks. */
  readonly every: number;
  readonly looks: number;
}

/**
 * Ends the process, with one line that says why, where its event loop has not turned for `after` ms: whoever keeps it
 * running then starts it anew, and what it had accepted is sent. A machine that slept is not taken for that, nor a
 * process that a debugger may have stopped at a breakpoint.
 */
export async function startWatchdog({
  wall,
  onError,
  after = 2 * minute,
}: {
  readonly wall: WallClock;
  readonly onError: (error: unknown) => void;
  readonly after?: number;
}): Promise<{ stop(): Promise<void> }> {
  const every = after / looks;
  const turns = new Int32Array(new SharedArrayBuffer(8));
  const turn = () => {
    Atomics.store(turns, 1, debuggerUrl() === undefined ? 0 : 1);
    Atomics.add(turns, 0, 1);
  };
  turn();
  const workerData: WatchdogData = { turns, every, looks };
  const thread = new Worker(new URL('watchdog-thread.ts', import.meta.url), {
    name: 'watchdog',
    workerData,
  });
  // Without its watchdog the process does its work all the same.
  thread.on('error', onError);
  await once(thread, 'online');
  thread.unref();
  const loop = startLoop(
    async () => {
      turn();
      return every / 2;
    },
    { wall, onError },
  );
  return {
    async stop() {
      await loop.stop();
      await thread.terminate();
    },
  };
}
