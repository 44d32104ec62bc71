import type { Kysely } from 'kysely';
import type { Database } from '../../database/database.ts';
import { maxAhead } from '../../runtime/clock.ts';
import type { Downtime, Heartbeat, Store } from '../ports.ts';
import { settings } from '../state/settings.ts';
import type { Tables } from '../tables.ts';
import { rebase } from './rebase.ts';

export const heartbeatSetting = 'heartbeat';
export const downtimesSetting = 'downtimes';

/** Number of downtimes stored: enough for /missed to look back over. */
const downtimesKept = 50;

/** Stores when the bot ran. The time between two heartbeats that are far apart is a downtime. */
export const life = ({ db, transaction }: Database<Tables>): Pick<Store, 'heartbeat' | 'downtimes'> => ({
  downtimes: () => downtimesIn(db),
  heartbeat: ({ speed = 1, ...at }, gap) =>
    transaction(async (trx) => {
      const { put } = settings(trx);
      const last = await heartbeatIn(trx);
      const wasAhead = last !== undefined && last.market - at.market > maxAhead(speed);
      if (wasAhead) await rebase(trx, { last: last.market, now: at.market });
      if (last !== undefined && at.wall - last.wall > gap && at.market > last.market) {
        const all = [...(await downtimesIn(trx)), { from: last.market, to: at.market }];
        await put(downtimesSetting, JSON.stringify(all.slice(-downtimesKept)));
      }
      await put(heartbeatSetting, JSON.stringify(at));
      return wasAhead;
    }),
});

/** Returns when the bot last recorded that it runs; undefined: it never has. */
async function heartbeatIn(db: Kysely<Tables>): Promise<Heartbeat | undefined> {
  const kept = await settings(db).get(heartbeatSetting);
  return kept === undefined ? undefined : JSON.parse(kept);
}

const downtimesIn = async (db: Kysely<Tables>): Promise<Downtime[]> =>
  JSON.parse((await settings(db).get(downtimesSetting)) ?? '[]');
