import type { Logger } from 'pino';
import type { Change } from '../alert/alert.ts';
import type { WallClock } from '../runtime/clock.ts';
import { isOwnFault } from '../runtime/own-fault.ts';
import { LostRole } from '../runtime/role.ts';
import { second } from '../runtime/units.ts';
import { tries } from './defect.ts';

/**
 * Attempts while the database accepts nothing, about half a minute in total. After them the detector waits for its next
 * run.
 */
const maxAttempts = 12;
const longestWait = 5 * second;

/**
 * Stores a detector's changes, all of them or none. A failed attempt is repeated at once, not at the detector's next
 * run. A change that fails three times by its own fault is left out, so that it does not block the others.
 * @param keep stores the changes; calls `begin` before each change, so that it is known which change failed
 */
export async function persist(
  changes: readonly Change[],
  {
    keep,
    wall,
    log,
    stopping,
  }: {
    readonly keep: (changes: readonly Change[], begin: (change: Change) => void) => Promise<void>;
    readonly wall: WallClock;
    readonly log: Logger;
    readonly stopping: AbortSignal;
  },
): Promise<void> {
  let remaining = changes;
  const faults = new Map<Change, number>();
  for (let attempt = 1; ; ) {
    let current: Change | undefined;
    try {
      return await keep(remaining, (change) => {
        current = change;
      });
    } catch (error) {
      const failed = current;
      if (isOwnFault(error) && failed !== undefined) {
        const times = (faults.get(failed) ?? 0) + 1;
        faults.set(failed, times);
        if (times < tries) continue;
        log.error({ err: error, labels: failed.labels }, 'could not store an alert; skipping it');
        remaining = remaining.filter((change) => change !== failed);
        continue;
      }
      const isRoleLost = error instanceof LostRole;
      if (isRoleLost || isOwnFault(error) || stopping.aborted || attempt >= maxAttempts) throw error;
      if (attempt === 1) log.warn({ err: error }, 'could not store what a detector saw; retrying');
      await wall.sleep(Math.min(longestWait, 100 * 2 ** attempt), stopping);
      attempt += 1;
    }
  }
}
