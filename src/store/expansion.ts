import type { Database } from '../database/database.ts';
import { alertOf, receiverColumns, subscriptionOf } from './rows.ts';
import type { Store } from './store.ts';
import { outboxState, type Tables } from './tables.ts';

export const expansion = ({ db, transaction }: Database<Tables>): Store['expansion'] => ({
  async next() {
    const row = await db.selectFrom('dispatch').selectAll().orderBy('id').limit(1).executeTakeFirst();
    if (row === undefined) return undefined;
    return { id: row.id, alert: alertOf(row.body), group: row.group_key, due: row.due, cursor: row.cursor };
  },
  async page(dispatch, size) {
    const rows = await db
      .selectFrom('subscription')
      .selectAll()
      .where('seq', '>', dispatch.cursor)
      .where('receiver', 'not in', (rest) => rest.selectFrom('rest').select('rest.receiver'))
      .orderBy('seq')
      .limit(size)
      .execute();
    const next = rows.length < size ? null : (rows.at(-1)?.seq ?? null);
    return { subscriptions: rows.map(subscriptionOf), next };
  },
  async enqueue({ id, alert, group, due }, receivers, { next, urgent, now }) {
    await transaction(async (trx) => {
      if (receivers.length > 0) {
        const rows = receivers.map((receiver) => ({
          ...receiverColumns(receiver),
          group_key: group,
          alert_id: alert.id,
          revision: alert.revision,
          urgent: urgent ? 1 : 0,
          due,
          state: due <= now ? outboxState.ready : outboxState.waiting,
        }));
        await trx
          .insertInto('outbox')
          .values(rows)
          .onConflict((conflict) => conflict.columns(['receiver', 'alert_id', 'revision']).doNothing())
          .execute();
      }
      if (next === null) await trx.deleteFrom('dispatch').where('id', '=', id).execute();
      else await trx.updateTable('dispatch').set({ cursor: next }).where('id', '=', id).execute();
    });
  },
});
