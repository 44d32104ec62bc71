import { sql, type Transaction } from 'kysely';
import { type Addresses, type Receiver, receiverKey, receiverOfKey } from '../../alert/subscription.ts';
import type { Database } from '../../database/database.ts';
import { endReceiver } from '../places/forget.ts';
import { movePreferences } from '../places/preferences.ts';
import { moveRules } from '../places/rules.ts';
import { insertSubscriptions, removeSubscriptions } from '../places/subscriptions.ts';
import type { ReceiverStore } from '../ports.ts';
import { changeDeliveries } from '../record/log-deliveries.ts';
import { noteEntries } from '../record/record-rows.ts';
import { alertOf, readable, receiverColumns, receiverOf } from '../rows.ts';
import type { Tables } from '../tables.ts';
import { moveBegun } from './begun-posts.ts';
import { requeue } from './queue.ts';
import { suspend, wake } from './suspended-receivers.ts';

/** How many receivers are returned as a person's likely ones. */
const mostLikely = 40;

/** Ends, moves, suspends and wakes receivers when their platform says so. */
export const receivers = (
  { db, transaction }: Database<Tables>,
  accountOf: Addresses['accountOf'],
): ReceiverStore => ({
  end: (receiver, why) => transaction((trx) => endReceiver(trx, { ...why, receiver })),
  move: (from, to) =>
    transaction((trx) => move(trx, { from: receiverKey(from), target: to, account: accountOf(to) })),
  async find({ notifier, field, value }) {
    // An address is stored as JSON without spaces, so the pair can be found as text on every database.
    const pair = `${JSON.stringify(field)}:${JSON.stringify(value)}`;
    const like = containing(pair);
    const having = (table: 'subscription' | 'rule' | 'hook' | 'living_board') =>
      db
        .selectFrom(table)
        .select(['notifier', 'address'])
        .where('notifier', '=', notifier)
        .where(sql<boolean>`address like ${like} escape '\\'`);
    const all = having('subscription')
      .union(having('rule'))
      .union(having('hook'))
      .union(having('living_board'));
    return (await all.execute()).map(receiverOf);
  },
  async has(receiver) {
    const key = receiverKey(receiver);
    for (const table of ['subscription', 'rule', 'hook', 'living_board', 'audit'] as const) {
      const found = db.selectFrom(table).select('receiver').where('receiver', '=', key).limit(1);
      if ((await found.executeTakeFirst()) !== undefined) return true;
    }
    return false;
  },
  async likely(notifier, person) {
    const changed = await db
      .selectFrom('audit')
      .select('receiver')
      .where('notifier', '=', notifier)
      .where('person', '=', person)
      .groupBy('receiver')
      .orderBy((row) => row.fn.max('at'), 'desc')
      .limit(mostLikely)
      .execute();
    const subscribed = await db
      .selectFrom('subscription')
      .select('receiver')
      .where('notifier', '=', notifier)
      .orderBy('created_at', 'desc')
      .limit(10 * mostLikely)
      .execute();
    const all = new Set([...changed, ...subscribed].map(({ receiver }) => receiver));
    return [...all].slice(0, mostLikely).map(receiverOfKey);
  },
  async suspend(resting, why) {
    for (const receiver of resting) await transaction((trx) => suspend(trx, { ...why, receiver }));
  },
  async suspended({ notifier, field, value }) {
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
    for (const receiver of resting) await transaction((trx) => wake(trx, { receiver, at }));
  },
});

const containing = (pair: string): string => `%${pair.replace(/[\\%_]/g, '\\$&')}%`;

/** Moves everything that a receiver has to its new address. */
export async function move(
  trx: Transaction<Tables>,
  { from, target, account }: { readonly from: string; readonly target: Receiver; readonly account: string },
): Promise<void> {
  const to = receiverKey(target);
  const columns = receiverColumns(target);
  const subscriptions = await removeSubscriptions(trx, (all) => all.where('receiver', 'in', [from, to]));
  for (const table of ['silence', 'hook', 'living_board', 'price_call', 'api_key'] as const) {
    await trx.updateTable(table).set(columns).where('receiver', '=', from).execute();
  }
  await changeDeliveries(trx, (row) => row('receiver', '=', from), columns);
  for (const table of ['hook', 'living_board'] as const)
    await trx.updateTable(table).set({ account }).where('receiver', '=', to).execute();
  await trx.updateTable('audit').set({ receiver: to }).where('receiver', '=', from).execute();
  await trx
    .updateTable('outbox')
    .set(columns)
    .where('receiver', '=', from)
    // Both addresses may have been subscribed to the same alert: then the new one has its row already.
    .where(
      sql<boolean>`not exists (select 1 from outbox as there where there.receiver = ${to} and there.alert_id = outbox.alert_id and there.revision = outbox.revision)`,
    )
    .execute();
  await trx.deleteFrom('outbox').where('receiver', '=', from).execute();
  await requeue(trx, { receivers: [to], now: 0, begun: 'open' });
  await moveBegun(trx, from, to);
  await trx.deleteFrom('queue').where('receiver', '=', from).execute();
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
  await insertSubscriptions(
    trx,
    // A dispatch under way may have passed the new address and not yet reached the old one.
    subscriptions.map((row) => ({ ...row, ...columns, account, moved: row.receiver === to ? row.moved : 1 })),
  );
  await moveRules(trx, { from, to: target, account });
  await moveOwnAlerts(trx, from, target);
  await movePreferences(trx, from, target);
}

/** Moves the alerts that are for one place alone, with their revisions that are on the way to it. */
async function moveOwnAlerts(trx: Transaction<Tables>, from: string, to: Receiver): Promise<void> {
  const own = trx.selectFrom('alert').where('only_for', '=', from);
  const moved = <Id>(rows: readonly { readonly id: Id; readonly body: string }[]) =>
    readable(rows, ({ id, body }) => ({ id, body: JSON.stringify({ ...alertOf(body), only: to }) }));
  const dispatches = await trx
    .selectFrom('dispatch')
    .select(['id', 'body'])
    .where('alert_id', 'in', own.select('id'))
    .execute();
  const alerts = await own.select(['id', 'body']).execute();
  for (const { id, body } of moved(dispatches))
    await trx.updateTable('dispatch').set({ body }).where('id', '=', id).execute();
  for (const { id, body } of moved(alerts))
    await trx.updateTable('alert').set({ body }).where('id', '=', id).execute();
  await trx
    .updateTable('alert')
    .set({ only_for: receiverKey(to) })
    .where('only_for', '=', from)
    .execute();
  await noteEntries(
    trx,
    alerts.map(({ id }) => id),
  );
}
