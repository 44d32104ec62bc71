import { setImmediate } from 'node:timers/promises';
import { sql, type Transaction } from 'kysely';
import type { Database } from '../database/database.ts';
import { day } from '../runtime/units.ts';
import type { Horizons } from './ports.ts';
import { endLongSuspended } from './queue/suspended-receivers.ts';
import { note } from './record/chain.ts';
import { deleteDeliveries } from './record/log-deliveries.ts';
import { noteDeleted } from './record/record-rows.ts';
import type { Tables } from './tables.ts';

/** Number of console messages stored. The console shows some hundreds; what is older is in the delivery log. */
const messagesKept = 2_000;

/** Wall ms for which a hook recognises a message that comes again, and a proof that it has begun a session. */
const known = day;

/**
 * Rows of one statement. The rows of an alert to 100,000 receivers become old within one hour, and SQLite blocks while it
 * deletes them.
 */
const atOnce = 1_000;

export async function prune(
  database: Pick<Database<Tables>, 'db' | 'transaction' | 'shrink'>,
  { now, before, requests, record, wall }: Horizons,
): Promise<void> {
  const { transaction } = database;
  await endLongSuspended(database, wall, now);
  await transaction(async (db) => {
    // A post that is older than the alert's end does not show the end yet. The alert is kept until the post has been
    // edited, however long its platform cannot be reached.
    const over = db
      .deleteFrom('alert')
      .where('ends_at', '<', before)
      .where(
        sql<boolean>`not exists (select 1 from post where post.group_key = alert.group_key and post.updated_at < alert.ends_at
          and post.shown like '%"' || alert.id || '"%')`,
      );
    await noteDeleted(db, over);
    await db.deleteFrom('rule').where('expires_at', '<', before).execute();
    await db.deleteFrom('audit').where('at', '<', before).execute();
    await db.deleteFrom('silence').where('ends_at', '<', before).execute();
    await db
      .deleteFrom('hook_inbox')
      .where('done', '=', 1)
      .where('at', '<', wall - known)
      .execute();
    await db.deleteFrom('outcome').where('fired_at', '<', record).execute();
    await db.deleteFrom('price_call').where('made_at', '<', record).execute();
    await note(db, { pruned: record }).execute();
    await db
      .deleteFrom('web_session')
      .where('until_wall', '<', wall - known)
      .execute();
    await db.deleteFrom('request').where('at', '<', requests).execute();
    const kept = await db
      .selectFrom('message')
      .select(['at', 'seq'])
      .orderBy('at', 'desc')
      .orderBy('seq', 'desc')
      .offset(messagesKept)
      .limit(1)
      .executeTakeFirst();
    if (kept !== undefined)
      await db.deleteFrom('message').where(sql<boolean>`(at, seq) <= (${kept.at}, ${kept.seq})`).execute();
  });
  const old = sql<boolean>`id in (select id from delivery where at < ${before} limit ${atOnce})`;
  await inPages(transaction, async (db) => ({
    numAffectedRows: BigInt(await deleteDeliveries(db, (rows) => rows.where(old))),
  }));
  // A post is kept as long as its alert, because it must show the alert's end.
  await inPages(transaction, (db) =>
    sql`delete from post where (receiver, group_key) in
      (select receiver, group_key from post where updated_at < ${before}
        and not exists (select 1 from alert where alert.group_key = post.group_key) limit ${atOnce})`.execute(
      db,
    ),
  );
  await inPages(transaction, (db) =>
    sql`delete from hourly_price where (market, symbol, at) in
      (select market, symbol, at from hourly_price where at < ${record} limit ${atOnce})`.execute(db),
  );
  await inPages(transaction, (db) =>
    sql`delete from reading where (market, feed, at) in
      (select market, feed, at from reading where at < ${before} limit ${atOnce})`.execute(db),
  );
  await database.shrink();
}

async function inPages(
  transaction: Database<Tables>['transaction'],
  remove: (db: Transaction<Tables>) => Promise<{ readonly numAffectedRows?: bigint }>,
): Promise<void> {
  while (((await transaction(remove)).numAffectedRows ?? 0n) > 0n) await setImmediate();
}
