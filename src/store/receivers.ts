import { type Kysely, sql, type Transaction } from 'kysely';
import { accountKey, type Receiver, receiverKey } from '../alert/subscription.ts';
import type { Database } from '../database/database.ts';
import { forgetPreferences, movePreferences } from './preferences.ts';
import { receiverColumns, receiverOf } from './rows.ts';
import { forgetRules, moveRules } from './rules.ts';
import type { Store } from './store.ts';
import { outboxState, type Tables } from './tables.ts';

/** What becomes of receivers when their platform changes them. */
export const receivers = ({ db, transaction }: Database<Tables>): Pick<Store, 'receivers'> => ({
  receivers: {
    end: (receiver) =>
      transaction(async (trx) => {
        await forget(trx, receiverKey(receiver));
      }),
    move: (from, to) => transaction((trx) => move(trx, receiverKey(from), to)),
    async find(notifier, field, value) {
      // An address is JSON without spaces: the pair is found as text, on every database alike.
      const pair = `${JSON.stringify(field)}:${JSON.stringify(value)}`;
      const like = `%${pair.replace(/[\\%_]/g, '\\$&')}%`;
      const having = (table: 'subscription' | 'rule') =>
        db
          .selectFrom(table)
          .select(['notifier', 'address'])
          .where('notifier', '=', notifier)
          .where(sql<boolean>`address like ${like} escape '\\'`);
      return (await having('subscription').union(having('rule')).execute()).map(receiverOf);
    },
    async rest(resting, until) {
      for (const receiver of resting) {
        await db
          .insertInto('rest')
          .values({ receiver: receiverKey(receiver), until_wall: until })
          .onConflict((conflict) => conflict.column('receiver').doUpdateSet({ until_wall: until }))
          .execute();
      }
    },
    async wake(resting) {
      if (resting.length > 0)
        await db.deleteFrom('rest').where('receiver', 'in', resting.map(receiverKey)).execute();
    },
  },
});

/** Those that have rested to the end of their time go. */
export async function endRested(db: Kysely<Tables>, wall: number): Promise<void> {
  const over = await db.selectFrom('rest').select('receiver').where('until_wall', '<=', wall).execute();
  for (const { receiver } of over) await db.transaction().execute((trx) => forget(trx, receiver));
}

/** Rows deleted, by table. What was told and what was changed stays in the logs. */
export async function forget(trx: Transaction<Tables>, receiver: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of ['subscription', 'silence', 'watchlist', 'outbox', 'post', 'hold', 'rest'] as const) {
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
    .set({ ...columns, state: outboxState.ready })
    .where('receiver', '=', from)
    // Two addresses may have been subscribed to the same alert: then the new one has its row already.
    .where(
      sql<boolean>`not exists (select 1 from outbox as there where there.receiver = ${to} and there.alert_id = outbox.alert_id and there.revision = outbox.revision)`,
    )
    .execute();
  await trx.deleteFrom('outbox').where('receiver', '=', from).execute();
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
