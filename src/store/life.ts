import type { Kysely } from 'kysely';
import { settings } from './settings.ts';
import type { Downtime, Store } from './store.ts';
import type { Tables } from './tables.ts';

/** Enough for /missed to look back over; a bot that stops more often has other troubles. */
const downtimesKept = 50;

/** When the bot ran. What lies between two heartbeats that are far apart it has not seen. */
export function life(db: Kysely<Tables>): Pick<Store, 'heartbeat' | 'downtimes'> {
  const { get, put } = settings(db);
  const downtimes = async (): Promise<Downtime[]> => JSON.parse((await get('downtimes')) ?? '[]');
  return {
    downtimes,
    async heartbeat(at, gap) {
      const kept = await get('heartbeat');
      const last: typeof at | undefined = kept === undefined ? undefined : JSON.parse(kept);
      // The downtime goes first: killed between the two, it is found again and written once more over itself.
      if (last !== undefined && at.wall - last.wall > gap && at.market > last.market) {
        const earlier = (await downtimes()).filter(({ from }) => from !== last.market);
        const all = [...earlier, { from: last.market, to: at.market }].slice(-downtimesKept);
        await put('downtimes', JSON.stringify(all));
      }
      await put('heartbeat', JSON.stringify(at));
    },
  };
}
