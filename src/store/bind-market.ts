import type { Kysely } from 'kysely';
import type { Database } from '../database/database.ts';
import { ConfigError } from '../runtime/errors.ts';
import { hour } from '../runtime/units.ts';
import { lockKeys } from './changes.ts';
import { downtimesSetting, heartbeatIn, heartbeatSetting } from './heartbeat.ts';
import { voidLeases } from './leases.ts';
import { nextRevision } from './rules.ts';
import { settings } from './settings.ts';
import type { Tables } from './tables.ts';

export interface MarketBinding {
  /**
   * Binds the database to a market, whose time is `now`. If it was bound to another one, or if the market has begun anew,
   * all that is stored about that market's alerts is deleted, all leases become void, and the other market is returned.
   * What people have set is kept, with the time that remains of it.
   * @throws ConfigError as `otherMarket`
   */
  bindMarket(market: string, now: number): Promise<string | undefined>;
}

/** The market of all live data, whichever service it comes from. */
export const liveMarket = 'live';

/** The tables whose rows are about the alerts of one market. The record of prices names the market in each row. */
const marketTables = ['detector', 'dispatch', 'outbox', 'queue', 'post', 'delivery', 'alert'] as const;

/**
 * A simulated or recorded market that is further behind than this has begun anew, because its archive was deleted. Its time
 * never goes back otherwise; 2 s of network delay at 240 × are 8 minutes.
 */
const behind = hour;

const marketSetting = 'market';

/**
 * Returns the market that the database is bound to; undefined if that is `market`, or none.
 * @throws ConfigError if it is bound to the live market, whose alerts must not be lost by a start with the wrong settings
 */
export async function otherMarket(db: Kysely<Tables>, market: string): Promise<string | undefined> {
  const bound = await settings(db).get(marketSetting);
  if (bound === undefined || bound === market) return undefined;
  if (bound === liveMarket)
    throw new ConfigError([
      `The bot's database belongs to the ${bound} market, not to the ${market} one: ` +
        'point TOCSIN_DATABASE_URL at another database, or delete this one to start over.',
    ]);
  return bound;
}

export const marketBinding = ({ transaction }: Database<Tables>): MarketBinding => ({
  bindMarket: (market, now) =>
    transaction(async (trx) => {
      // Of several processes that start at the same time only the first may delete anything.
      await lockKeys(trx, marketSetting);
      const other = await otherMarket(trx, market);
      const last = await heartbeatIn(trx);
      const beginsAnew = market !== liveMarket && last !== undefined && now < last.market - behind;
      if (other === undefined && !beginsAnew) {
        await settings(trx).put(marketSetting, market);
        return undefined;
      }
      // Whoever detects or delivers begins again, with nothing of the other market in memory.
      await voidLeases(trx, '');
      for (const table of marketTables) await trx.deleteFrom(table).execute();
      if (last !== undefined) await moveTimes(trx, now - last.market);
      await trx.deleteFrom('setting').where('name', 'in', [heartbeatSetting, downtimesSetting]).execute();
      await settings(trx).put(marketSetting, market);
      return other ?? market;
    }),
});

/** Moves the times that people have set to another market's time, so that as much remains of them as before. */
async function moveTimes(trx: Kysely<Tables>, by: number): Promise<void> {
  await trx
    .updateTable('silence')
    .set((silence) => ({ starts_at: silence('starts_at', '+', by), ends_at: silence('ends_at', '+', by) }))
    .execute();
  const revision = await nextRevision(trx);
  await trx
    .updateTable('rule')
    .set((rule) => ({ revision, expires_at: rule('expires_at', '+', by) }))
    .where('expires_at', 'is not', null)
    .execute();
}
