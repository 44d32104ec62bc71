import type { Kysely } from 'kysely';
import type { Database } from '../../database/database.ts';
import { ConfigError } from '../../runtime/errors.ts';
import { nextRevision } from '../places/rules.ts';
import type { Bound, MarketBinding, ReportedMarket } from '../ports.ts';
import { note } from '../record/chain.ts';
import { voidLeases } from '../state/leases.ts';
import { lockKeys } from '../state/lock-keys.ts';
import { settings } from '../state/settings.ts';
import type { Tables } from '../tables.ts';
import { downtimesSetting, heartbeatSetting } from './heartbeat.ts';

/** The market of all live data, whichever service it comes from. */
export const liveMarket = 'live';

/** The tables whose rows are about the alerts, or of calls on prices, of one market. The record of prices names the market in each row. */
const marketTables = [
  'detector',
  'dispatch',
  'outbox',
  'queue',
  'post',
  'delivery',
  'alert',
  'price_call',
] as const;

const marketSetting = 'market';

async function boundIn(db: Kysely<Tables>): Promise<Bound | undefined> {
  const kept = await settings(db).get(marketSetting);
  return kept === undefined ? undefined : JSON.parse(kept);
}
const boundOf = (market: string, { now: time, ...reported }: ReportedMarket): Bound => ({
  market,
  time,
  ...reported,
});
const bind = (db: Kysely<Tables>, bound: Bound) => settings(db).put(marketSetting, JSON.stringify(bound));

/**
 * Returns the market that the database is bound to; undefined if that is `market`, or none.
 * @throws ConfigError if it is bound to the live market, whose alerts must not be lost by a start with the wrong settings
 */
export async function otherMarket(db: Kysely<Tables>, market: string): Promise<string | undefined> {
  const bound = await boundIn(db);
  if (bound === undefined || bound.market === market) return undefined;
  if (bound.market === liveMarket)
    throw new ConfigError([
      `The bot's database belongs to the ${liveMarket} market, not to the ${market} one: ` +
        'point TOCSIN_DATABASE_URL at another database, or delete this one to start over.',
    ]);
  return bound.market;
}

/** Whether a market is bound by another run than this one. A run is known by its id and never by its time. */
const isAnew = (bound: Bound, { run }: ReportedMarket): boolean =>
  bound.market !== liveMarket && bound.run !== undefined && run !== undefined && run !== bound.run;

export const marketBinding = ({ db, transaction }: Database<Tables>): MarketBinding => ({
  bound: () => boundIn(db),
  bind: (market, reported) =>
    transaction(async (trx) => {
      // Of several processes that start at the same time only the first may delete anything.
      await lockKeys(trx, marketSetting);
      const other = await otherMarket(trx, market);
      const bound = await boundIn(trx);
      const { now } = reported;
      await bind(trx, boundOf(market, reported));
      if (bound === undefined || (other === undefined && !isAnew(bound, reported))) return undefined;
      // Whoever detects or delivers begins again, with nothing of the other market in memory.
      await voidLeases(trx);
      for (const table of marketTables) await trx.deleteFrom(table).execute();
      await note(trx, { emptied: true }).execute();
      await moveTimes(trx, now - bound.time);
      await trx.deleteFrom('setting').where('name', 'in', [heartbeatSetting, downtimesSetting]).execute();
      return other ?? market;
    }),
  keepTime: (market, reported) =>
    transaction(async (trx) => {
      // A binding that is under way in another process must not be overwritten.
      await lockKeys(trx, marketSetting);
      const bound = await boundIn(trx);
      if (bound !== undefined && bound.market !== market)
        throw new ConfigError(
          [`The bot's database now belongs to the ${bound.market} market, not to the ${market} one.`],
          { mayPass: true },
        );
      if (bound !== undefined && isAnew(bound, reported)) return false;
      await bind(trx, boundOf(market, reported));
      return true;
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
