import { type SelectQueryBuilder, sql, type Transaction } from 'kysely';
import { isUrgent } from '../../alert/alert.ts';
import { receiverKey } from '../../alert/subscription.ts';
import type { Database } from '../../database/database.ts';
import { activeSubscriptions } from '../places/subscriptions.ts';
import type { Destination, Expansion, Routed } from '../ports.ts';
import { logDeliveries } from '../record/log-deliveries.ts';
import { alertOf, receiverColumns } from '../rows.ts';
import type { Tables } from '../tables.ts';
import { enqueueBlindnessEdits, enqueueOwnEdits } from './enqueue-edits.ts';
import { readPage } from './pages.ts';
import { enqueueAlike } from './queue.ts';

/**
 * Number of dispatches that are handed on together, of one post, or of single places: enough for a burst in all markets, and
 * few enough not to block.
 */
const maxTogether = 500;

/**
 * Sorts dispatches as they were announced. Their ids do not tell, because not every database gives them in ascending order.
 */
const inAnnouncedOrder = <Columns>(query: SelectQueryBuilder<Tables, 'dispatch', Columns>) =>
  query.orderBy('at').orderBy('revision').orderBy('id');

export const expansion = ({ db, transaction }: Database<Tables>): Expansion => ({
  async next(except = []) {
    const own = sql<boolean>`exists (select 1 from alert where alert.id = dispatch.alert_id and only_for is not null)`;
    let waiting = db
      .selectFrom('dispatch')
      .select(['id', 'group_key', 'matcher', 'cursor', 'receiver', 'urgent', own.as('own')]);
    if (except.length > 0) waiting = waiting.where('id', 'not in', except);
    const first = await inAnnouncedOrder(waiting.orderBy('urgent', 'desc')).limit(1).executeTakeFirst();
    if (first === undefined) return [];
    const rest = waiting.where('id', '!=', first.id);
    // Thousands of own alerts may become true in one look, each of a place of its own: one at a time they would leave more
    // slowly than the platform takes them.
    const together = first.own
      ? rest.where('urgent', '=', first.urgent).where(own)
      : rest
          .where('group_key', '=', first.group_key)
          .where('matcher', '=', first.matcher)
          .where('cursor', '=', first.cursor)
          .where('receiver', '=', first.receiver);
    const others = await inAnnouncedOrder(together).limit(maxTogether).execute();
    return [first, ...others].map(({ id }) => id);
  },
  async read(ids) {
    const rows = await inAnnouncedOrder(
      db.selectFrom('dispatch').selectAll().where('id', 'in', ids),
    ).execute();
    return rows.map(({ id, body, group_key, due, matcher, cursor, receiver, doubtful }) => ({
      id,
      alert: alertOf(body),
      group: group_key,
      due,
      cursor: { matcher, receiver, subscription: cursor },
      doubtful: doubtful === 1,
    }));
  },
  page: (cursor, options) => readPage(db, { cursor, ...options }),
  async forgetMoves() {
    const [moved, begun] = [db.selectFrom('subscription').where('moved', '=', 1), db.selectFrom('dispatch')];
    const some = moved.select('seq').limit(maxTogether);
    const underWay = begun.select('id').where((or) => or.or([or('matcher', '!=', 0), or('cursor', '!=', 0)]));
    for (let forgot = maxTogether; forgot === maxTogether; ) {
      const { numUpdatedRows } = await transaction((trx) =>
        trx
          .updateTable('subscription')
          .set({ moved: 0 })
          .where('seq', 'in', some)
          .where(({ not, exists }) => not(exists(underWay)))
          .executeTakeFirst(),
      );
      forgot = Number(numUpdatedRows);
    }
  },
  async drop(dispatches) {
    await transaction((trx) => trx.deleteFrom('dispatch').where('id', 'in', dispatches).execute());
  },
  async isSuspended(receiver) {
    const key = receiverKey(receiver);
    const row = await db
      .selectFrom('rest')
      .select('receiver')
      .where('receiver', '=', key)
      .where('tried', '=', 0)
      .executeTakeFirst();
    return row !== undefined;
  },
  async ofReceiversWithSeveral(receivers) {
    // Most receivers have one subscription. The index alone shows that, without reading any of their rows.
    const several = await db
      .selectFrom('subscription')
      .select('receiver')
      .where('receiver', 'in', receivers.map(receiverKey))
      .groupBy('receiver')
      .having(sql`count(*)`, '>', 1)
      .execute();
    const keys = several.map(({ receiver }) => receiver);
    return keys.length === 0 ? [] : activeSubscriptions(db, keys);
  },
  enqueueOwnEdits: (turned, now) => transaction((trx) => enqueueOwnEdits(trx, { ...turned, due: now })),
  async enqueue(routed, { next, now }) {
    await transaction(async (trx) => {
      for (const each of routed) await enqueueOne(trx, { ...each, now });
      const ids = routed.map(({ dispatch }) => dispatch.id);
      if (next === null) await trx.deleteFrom('dispatch').where('id', 'in', ids).execute();
      else {
        const { matcher, receiver, subscription } = next;
        await trx
          .updateTable('dispatch')
          .set({ matcher, receiver, cursor: subscription })
          .where('id', 'in', ids)
          .execute();
      }
    });
  },
});

async function enqueueOne(
  trx: Transaction<Tables>,
  {
    dispatch: { alert, group: ownGroup, doubtful },
    destinations,
    failed = [],
    blindnessChange: turned,
    now,
  }: { readonly now: number } & Routed,
): Promise<void> {
  const digests = Map.groupBy(destinations, ({ group }) => group);
  digests.delete(ownGroup);
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
      .where('due', '>', now)
      .execute();
  }
  for (const alike of Map.groupBy(destinations, ({ group, due }) => `${due} ${group}`).values()) {
    const [{ group, due }] = alike as [Destination];
    await enqueueAlike(
      trx,
      alike.map(({ receiver }) => receiverColumns(receiver)),
      {
        group_key: group,
        alert_id: alert.id,
        revision: alert.revision,
        urgent: isUrgent(alert) ? 1 : 0,
        due,
        doubtful: doubtful ? 1 : 0,
      },
    );
  }
  if (failed.length > 0) {
    const rows = failed.map(({ receiver, reason }) => ({
      at: now,
      alert_id: alert.id,
      revision: alert.revision,
      ...receiverColumns(receiver),
      title: JSON.stringify(alert.annotations.title),
      outcome: 'failed',
      reason: JSON.stringify(reason),
    }));
    await logDeliveries(trx, rows);
  }
  if (turned !== undefined) await enqueueBlindnessEdits(trx, { ...turned, due: now });
}
