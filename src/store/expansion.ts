import { sql } from 'kysely';
import { receiverKey } from '../alert/subscription.ts';
import type { Database } from '../database/database.ts';
import { alertOf, effectiveOf, receiverColumns } from './rows.ts';
import type { Store } from './store.ts';
import { effective, heeded } from './subscriptions.ts';
import { outboxState, type Tables } from './tables.ts';
import { enqueueOwnTurned, enqueueTurned } from './turned.ts';

export const expansion = ({ db, transaction }: Database<Tables>): Store['expansion'] => ({
  async next() {
    const row = await db.selectFrom('dispatch').selectAll().orderBy('id').limit(1).executeTakeFirst();
    if (row === undefined) return undefined;
    return { id: row.id, alert: alertOf(row.body), group: row.group_key, due: row.due, cursor: row.cursor };
  },
  async page(dispatch, size) {
    const rows = await heeded(db)
      .where('seq', '>', dispatch.cursor)
      .where('subscription.receiver', 'not in', (rest) => rest.selectFrom('rest').select('rest.receiver'))
      .orderBy('seq')
      .limit(size)
      .execute();
    const next = rows.length < size ? null : (rows.at(-1)?.seq ?? null);
    return { subscriptions: rows.map(effectiveOf), next };
  },
  async rests(receiver) {
    const key = receiverKey(receiver);
    const row = await db.selectFrom('rest').select('receiver').where('receiver', '=', key).executeTakeFirst();
    return row !== undefined;
  },
  async ofThoseWithSeveral(receivers) {
    // Most have one: the index alone says so, without reading any of them.
    const several = await db
      .selectFrom('subscription')
      .select('receiver')
      .where('receiver', 'in', receivers.map(receiverKey))
      .groupBy('receiver')
      .having(sql`count(*)`, '>', 1)
      .execute();
    const keys = several.map(({ receiver }) => receiver);
    return keys.length === 0 ? [] : effective(db, keys);
  },
  turnOwn: (turned, now) => enqueueOwnTurned(db, turned, now),
  async enqueue({ id, alert, group: own }, destinations, { next, urgent, now, turned }) {
    await transaction(async (trx) => {
      const digests = Map.groupBy(destinations, ({ group }) => group);
      digests.delete(own);
      for (const [group, inDigest] of alert.revision > 1 ? digests : []) {
        await trx
          .deleteFrom('outbox')
          .where(
            'receiver',
            'in',
            inDigest.map(({ receiver }) => receiverKey(receiver)),
          )
          .where('alert_id', '=', alert.id)
          .where('revision', '<', alert.revision)
          .where('group_key', '=', group)
          .where(sql`+state`, '=', outboxState.waiting)
          .execute();
      }
      if (destinations.length > 0) {
        const rows = destinations.map(({ receiver, group, due }) => ({
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
      if (turned !== undefined) await enqueueTurned(trx, turned, now);
      if (next === null) await trx.deleteFrom('dispatch').where('id', '=', id).execute();
      else await trx.updateTable('dispatch').set({ cursor: next }).where('id', '=', id).execute();
    });
  },
});
