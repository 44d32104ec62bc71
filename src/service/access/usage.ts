import type { Logger } from 'pino';
import type { WallClock } from '../../runtime/clock.ts';
import { startLoop } from '../../runtime/loop.ts';
import { day, minute } from '../../runtime/units.ts';
import type { AccessStore } from './store.ts';

/** How often the counts are written, ms. A killed process loses at most the requests of this time. */
const writeInterval = minute;
/** The number of days for which counts are kept. */
export const maxUsageDays = 400;

export const dayOf = (time: number): number => Math.floor(time / day) * day;

/** Counts how many requests each key makes a day (UTC), added up over all services on one database. */
export function countKeyUsage({
  store,
  wall,
  log,
}: {
  readonly store: Pick<AccessStore, 'addUsage'>;
  readonly wall: WallClock;
  readonly log: Logger;
}) {
  let counts = new Map<string, number>();
  const write = async () => {
    const written = counts;
    counts = new Map();
    const today = dayOf(wall.now());
    const rows = [...written].map(([id, requests]) => ({ id, day: today, requests }));
    try {
      if (rows.length > 0) await store.addUsage(rows, today - maxUsageDays * day);
    } catch (error) {
      for (const [id, requests] of written) counts.set(id, (counts.get(id) ?? 0) + requests);
      throw error;
    }
    return writeInterval;
  };
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'could not write how much each key was used; retrying');
  const loop = startLoop(write, { wall, onError });
  return {
    /** Counts an admitted request that was made with the key of that id. */
    count: (id: string): void => void counts.set(id, (counts.get(id) ?? 0) + 1),
    /** Stops, and writes the remaining counts. */
    async stop(): Promise<void> {
      await loop.stop();
      await write().catch(onError);
    },
  };
}
