import type { Logger } from 'pino';
import type { WallClock } from '../runtime/clock.ts';
import { second } from '../runtime/units.ts';

/** The longest time for stopping, wall ms: `docker stop` kills after ten seconds. */
const stopTimeout = 9 * second;

interface Running {
  close(): Promise<void>;
}

interface StopOptions {
  readonly wall: WallClock;
  /** Calls `handle` at each signal to stop. */
  readonly listen: (handle: () => void) => void;
  readonly endNow: () => void;
}

/**
 * Listens for signals to stop. Returns a function that waits for such a signal and then stops what runs. Before it is called,
 * while the program still starts, a signal ends the program at once, and so does a second signal: what is unfinished then is in
 * doubt at the next start, as after a crash. The system would not do this in a container, whose process 1 is ended only by
 * signals that it listens for (kill(2)).
 */
export function listenForStop({ wall, listen, endNow }: StopOptions) {
  let onSignal = endNow;
  listen(() => onSignal());
  return async (running: Running, log: Logger): Promise<void> => {
    await new Promise<void>((resolve) => {
      onSignal = () => {
        onSignal = endNow;
        resolve();
      };
    });
    await endInTime(running, { wall, log });
  };
}

/**
 * Stops the running bot or service. If that takes too long, the process ends as if it were killed: what was being sent is in
 * doubt at the next start.
 */
export async function endInTime(
  running: Running,
  { wall, log }: { readonly wall: WallClock; readonly log: Pick<Logger, 'warn'> },
): Promise<void> {
  const ended = new AbortController();
  const timeout = wall.sleep(stopTimeout, ended.signal).then(
    () =>
      log.warn(
        { seconds: stopTimeout / second },
        'not everything ended in time; what was being sent is looked for at the next start',
      ),
    () => {},
  );
  await Promise.race([running.close(), timeout]);
  ended.abort(new Error('it has ended'));
}
