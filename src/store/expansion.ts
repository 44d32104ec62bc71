import { type Kysely, type SelectQueryBuilder, sql, type Transaction } from 'kysely';
import { isUrgent } from '../alert/alert.ts';
import { receiverKey, receiverOfKey } from '../alert/subscription.ts';
import type { Database } from '../database/database.ts';
import { readMatchers } from './matchers.ts';
import { enqueue } from './queue.ts';
import { suspendedReceivers } from './rest.ts';
import { alertOf, readable, receiverColumns, subscriptionOf } from './rows.ts';
import type { Criteria, Cursor, Page, Routed, RowId, Store } from './store.ts';
import { activeIn, activeQuery, activeSubscriptions } from './subscriptions.ts';
import type { Tables } from './tables.ts';
import { enqueueBlindnessEdits, enqueueOwnEdits } from './turned.ts';

/**
 * Number of dispatches of one post that are handed on together: enough for a burst in all markets, and few enough not to
 * block.
 */
const maxTogether = 500;

/**
 * Sorts dispatches as they were announced. Their ids do not tell, because not every database gives them in ascending order.
 */
const inAnnouncedOrder = <Columns>(query: SelectQueryBuilder<Tables, 'dispatch', Columns>) =>
  query.orderBy('at').orderBy('revision').orderBy('id');

export const expansion = ({ db, transaction }: Database<Tables>): Store['expansion'] => ({
  async next(except = []) {
    let waiting = db.selectFrom('dispatch').select(['id', 'group_key', 'matcher', 'cursor']);
    if (except.length > 0) waiting = waiting.where('id', 'not in', except);
    const first = await inAnnouncedOrder(waiting.orderBy('urgent', 'desc')).limit(1).executeTakeFirst();
    if (first === undefined) return [];
    const samePost = waiting
      .where('group_key', '=', first.group_key)
      .where('matcher', '=', first.matcher)
      .where('cursor', '=', first.cursor)
      .where('id', '!=', first.id);
    const others = await inAnnouncedOrder(samePost).limit(maxTogether).execute();
    return [first, ...others].map(({ id }) => id);
  },
  async read(ids) {
    const rows = await inAnnouncedOrder(
      db.selectFrom('dispatch').selectAll().where('id', 'in', ids),
    ).execute();
    return rows.map(({ id, body, group_key, due, matcher, cursor, doubtful }) => ({
      id,
      alert: alertOf(body),
      group: group_key,
      due,
      cursor: { matcher, subscription: cursor },
      doubtful: doubtful === 1,
    }));
  },
  async page(cursor, { size, wants }) {
    if (cursor.matcher === behindAllMatchers)
      return pageOfMoved(db, { after: cursor.subscription, size, wants });
    const { matchers, after, next: following } = await readMatchers(db, { cursor, size, wants });
    if (matchers.size === 0)
      return { subscriptions: [], unreadable: [], next: following ?? (await movedCursor(db)) };
    const rows = await db
      .selectFrom('subscription')
      .selectAll()
      .where('matcher', 'in', [...matchers.keys()])
      .where('seq', '>', after)
      .where('receiver', 'not in', suspendedReceivers(db))
      .orderBy('matcher')
      .orderBy('seq')
      .limit(size)
      .execute();
    const last = rows.length < size ? undefined : rows.at(-1);
    const next =
      last === undefined
        ? (following ?? (await movedCursor(db)))
        : { matcher: last.matcher ?? 0, subscription: last.seq };
    const subscriptions = readable(rows, (row) => {
      const criteria = matchers.get(row.matcher ?? 0);
      if (criteria === undefined) throw new TypeError('what is asked for cannot be read');
      return subscriptionOf(row, criteria);
    });
    const read = new Set(subscriptions.map(({ id }) => id));
    const unreadable = rows.filter(({ id }) => !read.has(id)).map(({ receiver }) => receiverOfKey(receiver));
    return { subscriptions, unreadable, next };
  },
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
        const { matcher, subscription } = next;
        await trx
          .updateTable('dispatch')
          .set({ matcher, cursor: subscription })
          .where('id', 'in', ids)
          .execute();
      }
    });
  },
});

/**
 * The value of a cursor's `matcher` once all matchers have been handled: the subscriptions that have moved meanwhile
 * follow.
 */
const behindAllMatchers = -1;

/** Returns the cursor behind the last matcher; null if no subscription has moved meanwhile. */
async function movedCursor(db: Kysely<Tables>): Promise<Cursor | null> {
  const one = await db
    .selectFrom('subscription')
    .select('seq')
    .where('moved', '=', 1)
    .limit(1)
    .executeTakeFirst();
  return one === undefined ? null : { matcher: behindAllMatchers, subscription: 0 };
}

/**
 * Returns a page of subscriptions that have moved to another matcher. A receiver that was reached by its former matcher
 * already is told nothing twice: see dedup.ts.
 */
async function pageOfMoved(
  db: Kysely<Tables>,
  {
    after,
    size,
    wants,
  }: {
    readonly after: RowId;
    readonly size: number;
    readonly wants: (criteria: Criteria) => boolean;
  },
): Promise<Page> {
  const rows = await activeQuery(db)
    .where('subscription.moved', '=', 1)
    .where('subscription.seq', '>', after)
    .where('subscription.receiver', 'not in', suspendedReceivers(db))
    .limit(size)
    .execute();
  const last = rows.length < size ? undefined : rows.at(-1);
  return {
    subscriptions: activeIn(rows).filter(wants),
    unreadable: [],
    next: last === undefined ? null : { matcher: behindAllMatchers, subscription: last.seq },
  };
}

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
  const rows = destinations.map(({ receiver, group, due }) => ({
    ...receiverColumns(receiver),
    group_key: group,
    alert_id: alert.id,
    revision: alert.revision,
    urgent: isUrgent(alert) ? 1 : 0,
    due,
    doubtful: doubtful ? 1 : 0,
  }));
  await enqueue(trx, rows);
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
    await trx.insertInto('delivery').values(rows).execute();
  }
  if (turned !== undefined) await enqueueBlindnessEdits(trx, { ...turned, due: now });
}
