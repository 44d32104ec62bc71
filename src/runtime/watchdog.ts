import { once } from 'node:events';
import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import type { WallClock } from './clock.ts';
import { startLoop } from './loop.ts';
import { minute } from './units.ts';

/** How many times the watchdog looks within the time after which it ends the process. */
const looks = 8;

/** Data given to the watchdog's thread. */
export interface WatchdogData {
  /**
   * [0]: how many times the event loop has turned; [1]: 1 if at the last turn a debugger was attached that may stop the
   * process.
   */
  readonly turns: Int32Array<SharedArrayBuffer>;
  /** Ms between two looks. */
  readonly every: number;
  readonly looks: number;
}

/**
 * Ends the process, with one log line that says why, if its event loop has not turned for `after` ms. Its supervisor
 * then restarts it, and the alerts that it had accepted are sent. Neither a machine that slept nor a process that a
 * debugger may have stopped at a breakpoint counts as hung.
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
  // If the watchdog fails, the process continues without it.
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
