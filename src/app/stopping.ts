import type { Logger } from 'pino';
import type { WallClock } from '../runtime/clock.ts';
import { second } from '../runtime/units.ts';

/** The longest time for stopping, wall ms: `docker stop` kills after ten seconds. */
const stopTimeout = 9 * second;

/**
 * Stops the running bot or service. If that takes too long, the process ends as if it were killed: what was being sent is in
 * doubt at the next start.
 */
export async function endInTime(
  running: { close(): Promise<void> },
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
