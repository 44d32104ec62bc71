import type { Logger } from 'pino';
import type { WallClock } from '../../runtime/clock.ts';
import { second } from '../../runtime/units.ts';

/** Progress is logged in steps of this share. */
const step = 0.05;

/**
 * Logs how much of the past is loaded, until all of it is: lines with `progress` (0 to 1), which a terminal shows as a bar.
 * Nothing is logged if the past was complete from the start.
 */
export async function reportProgress(
  progress: () => number,
  { wall, log, signal }: { readonly wall: WallClock; readonly log: Logger; readonly signal: AbortSignal },
): Promise<void> {
  let logged: number | undefined;
  while (!signal.aborted) {
    const share = progress();
    const reached = Math.floor(share / step);
    if (share > 0 && share < 1 && reached !== logged) {
      logged = reached;
      log.info({ progress: Math.round(share * 100) / 100 }, 'loading history');
    }
    if (share >= 1) {
      if (logged !== undefined) log.info({ progress: 1 }, 'history is loaded');
      return;
    }
    await wall.sleep(second / 2, signal).catch(() => {});
  }
}
