import type { Kysely } from 'kysely';
import type { Database } from '../database/database.ts';
import { settings } from './settings.ts';
import type { Downtime, Store } from './store.ts';
import type { Tables } from './tables.ts';

/** Number of downtimes stored: enough for /missed to look back over. */
const downtimesKept = 50;

/** Stores when the bot ran. The time between two heartbeats that are far apart is a downtime. */
export const life = ({ db, transaction }: Database<Tables>): Pick<Store, 'heartbeat' | 'downtimes'> => ({
  downtimes: () => downtimesIn(db),
  heartbeat: (at, gap) =>
    transaction(async (trx) => {
      const { get, put } = settings(trx);
      const kept = await get('heartbeat');
      const last: typeof at | undefined = kept === undefined ? undefined : JSON.parse(kept);
      if (last !== undefined && at.wall - last.wall > gap && at.market > last.market) {
        const all = [...(await downtimesIn(trx)), { from: last.market, to: at.market }];
        await put('downtimes', JSON.stringify(all.slice(-downtimesKept)));
      }
      await put('heartbeat', JSON.stringify(at));
    }),
});

const downtimesIn = async (db: Kysely<Tables>): Promise<Downtime[]> =>
  JSON.parse((await settings(db).get('downtimes')) ?? '[]');
