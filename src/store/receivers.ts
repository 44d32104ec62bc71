import { sql, type Transaction } from 'kysely';
import { accountKey, type Receiver, receiverKey, receiverOfKey } from '../alert/subscription.ts';
import type { Database } from '../database/database.ts';
import { msg } from '../language/text.ts';
import { day } from '../runtime/units.ts';
import { record } from './audit.ts';
import { forgetPreferences, movePreferences } from './preferences.ts';
import { never, requeue } from './queue.ts';
import { receiverColumns, receiverOf } from './rows.ts';
import { forgetRules, moveRules } from './rules.ts';
import type { Store, Why } from './store.ts';
import type { Tables } from './tables.ts';

/** What becomes of receivers when their platform changes them. */
export const receivers = ({ db, transaction }: Database<Tables>): Pick<Store, 'receivers'> => ({
  receivers: {
    end: (receiver, why) => transaction((trx) => end(trx, receiver, why)),
    move: (from, to) => transaction((trx) => move(trx, receiverKey(from), to)),
    async find(notifier, field, value) {
      // An address is JSON without spaces: the pair is found as text, on every database alike.
      const pair = `${JSON.stringify(field)}:${JSON.stringify(value)}`;
      const like = containing(pair);
      const having = (table: 'subscription' | 'rule') =>
        db
          .selectFrom(table)
          .select(['notifier', 'address'])
          .where('notifier', '=', notifier)
          .where(sql<boolean>`address like ${like} escape '\\'`);
      return (await having('subscription').union(having('rule')).execute()).map(receiverOf);
    },
    async rest(resting, why) {
      for (const receiver of resting) await transaction((trx) => rest(trx, receiver, why));
    },
    async resting(notifier, field, value) {
      const pair = JSON.stringify([field, value]);
      const rows = await db
        .selectFrom('rest')
        .select('receiver')
        .where('receiver', 'like', `${notifier}:%`)
        .where(sql<boolean>`receiver like ${containing(pair)} escape '\\'`)
        .execute();
      return rows.map(({ receiver }) => receiverOfKey(receiver));
    },
    async wake(resting, at) {
      for (const receiver of resting) await transaction((trx) => wake(trx, receiver, at));
    },
  },
});

const containing = (pair: string): string => `%${pair.replace(/[\\%_]/g, '\\$&')}%`;

/** How long what a place has is kept while nothing can be posted there, wall ms: bots are removed by mistake. */
const restFor = 30 * day;

const itself = (receiver: Receiver, at: number) => ({ receiver, who: 'Tocsin', person: null, at });

/** All that it has ends, which stands in its audit where it had anything. */
export async function end(trx: Transaction<Tables>, receiver: Receiver, { at, reason }: Why): Promise<void> {
  const { subscription = 0, rule = 0 } = await forget(trx, receiverKey(receiver));
  if (subscription + rule > 0)
    await record(trx, itself(receiver, at), msg('Subscriptions and alerts here ended: {reason}', { reason }));
}

/** It is told nothing until it wakes; what waits for it waits on. */
export async function rest(
  trx: Transaction<Tables>,
  receiver: Receiver,
  { at, wall, reason }: Why & { readonly wall: number },
): Promise<void> {
  const { numInsertedOrUpdatedRows = 0n } = await trx
    .insertInto('rest')
    .values({ receiver: receiverKey(receiver), until_wall: wall + restFor })
    .onConflict((conflict) => conflict.column('receiver').doNothing())
    .executeTakeFirst();
  await trx
    .updateTable('queue')
    .set({ held: never, ready: never })
    .where('receiver', '=', receiverKey(receiver))
    .execute();
  if (numInsertedOrUpdatedRows > 0n)
    await record(
      trx,
      itself(receiver, at),
      msg('Alerts here are on hold until the bot may post again: {reason}', { reason }),
    );
}

async function wake(trx: Transaction<Tables>, receiver: Receiver, at: number): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom('rest')
    .where('receiver', '=', receiverKey(receiver))
    .executeTakeFirst();
  const key = receiverKey(receiver);
  await trx.updateTable('queue').set({ held: 0 }).where('receiver', '=', key).execute();
  await requeue(trx, [key], { now: at, begun: 'open' });
  if (numDeletedRows > 0n)
    await record(trx, itself(receiver, at), msg('Alerts here are back: the bot may post again'));
}

/** Those that have rested to the end of their time go. */
export async function endRested(
  { db, transaction }: Pick<Database<Tables>, 'db' | 'transaction'>,
  { wall, at }: { readonly wall: number; readonly at: number },
): Promise<void> {
  const over = await db.selectFrom('rest').select('receiver').where('until_wall', '<=', wall).execute();
  for (const { receiver } of over) {
    const reason = msg('nothing could be posted for 30 days');
    await transaction((trx) => end(trx, receiverOfKey(receiver), { at, reason }));
  }
}

/** Rows deleted, by table. What was told and what was changed stays in the logs. */
export async function forget(trx: Transaction<Tables>, receiver: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of ['queue', 'subscription', 'silence', 'watchlist', 'outbox', 'post', 'rest'] as const) {
    const { numDeletedRows } = await trx
      .deleteFrom(table)
      .where('receiver', '=', receiver)
      .executeTakeFirst();
    counts[table] = Number(numDeletedRows);
  }
  counts.rule = await forgetRules(trx, receiver);
  await trx.deleteFrom('alert').where('only_for', '=', receiver).execute();
  counts.preferences = await forgetPreferences(trx, receiver);
  return counts;
}

/** A receiver that lives on under another address takes everything along. */
export async function move(trx: Transaction<Tables>, from: string, target: Receiver): Promise<void> {
  const to = receiverKey(target);
  const columns = receiverColumns(target);
  for (const table of ['subscription', 'silence', 'delivery'] as const) {
    await trx.updateTable(table).set(columns).where('receiver', '=', from).execute();
  }
  await trx
    .updateTable('subscription')
    .set({ account: accountKey(target) })
    .where('receiver', '=', to)
    .execute();
  await trx.updateTable('audit').set({ receiver: to }).where('receiver', '=', from).execute();
  await trx
    .updateTable('outbox')
    .set(columns)
    .where('receiver', '=', from)
    // Two addresses may have been subscribed to the same alert: then the new one has its row already.
    .where(
      sql<boolean>`not exists (select 1 from outbox as there where there.receiver = ${to} and there.alert_id = outbox.alert_id and there.revision = outbox.revision)`,
    )
    .execute();
  await trx.deleteFrom('outbox').where('receiver', '=', from).execute();
  await trx.deleteFrom('queue').where('receiver', '=', from).execute();
  await requeue(trx, [to], { now: 0, begun: 'open' });
  await trx
    .updateTable('post')
    .set({ receiver: to })
    .where('receiver', '=', from)
    .where(
      sql<boolean>`not exists (select 1 from post as there where there.receiver = ${to} and there.group_key = post.group_key)`,
    )
    .execute();
  await trx.deleteFrom('post').where('receiver', '=', from).execute();
  await trx
    .updateTable('watchlist')
    .set({ receiver: to })
    .where('receiver', '=', from)
    .where(sql<boolean>`not exists (select 1 from watchlist as there where there.receiver = ${to})`)
    .execute();
  await trx.deleteFrom('watchlist').where('receiver', '=', from).execute();
  await moveRules(trx, from, target);
  await trx.updateTable('alert').set({ only_for: to }).where('only_for', '=', from).execute();
  await movePreferences(trx, from, target);
}
