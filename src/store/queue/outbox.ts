import { type Kysely, sql, type Transaction } from 'kysely';
import type { Reason } from '../../alert/reason.ts';
import { type Addresses, receiverOfKey } from '../../alert/subscription.ts';
import type { Database } from '../../database/database.ts';
import { msg } from '../../language/text.ts';
import type { Outbox } from '../ports.ts';
import { logDeliveries } from '../record/log-deliveries.ts';
import { alertOf, readable, receiverColumns } from '../rows.ts';
import type { Tables } from '../tables.ts';
import { readClaims } from './claim.ts';
import { enqueue, lockReceivers, next, queued, recover, requeue } from './queue.ts';
import { settle } from './settle.ts';
import { suspendedReceivers } from './suspended-receivers.ts';

export interface OutboxOptions extends Pick<Addresses, 'accountOf'> {
  /** Token of the lease under which messages are delivered; 0 without a lease. */
  readonly token: number;
}

export const outbox = (
  { db, dialect, transaction, sync }: Database<Tables>,
  { token, accountOf }: OutboxOptions,
): Outbox => ({
  next: (options) => next(db, options),
  queued: (keys, now) => queued(db, { keys, now }),

  async look(keys, now) {
    const claims = await readClaims(db, keys, now);
    const withoutClaim = new Set(keys).difference(new Set(claims.map(({ key }) => key)));
    // Market time has gone back, what was due has been deleted, or sending is paused: these receivers get their turn when
    // something is due and may be sent.
    if (withoutClaim.size > 0)
      await transaction(async (trx) => {
        await lockReceivers(trx, [...withoutClaim], dialect);
        await requeue(trx, { receivers: [...withoutClaim], now: 0, begun: 'open' });
      });
    return claims;
  },

  async settle(settlements, again = false) {
    const lostClaims = await transaction((trx) =>
      settle(trx, { given: settlements, dialect, token, accountOf, again }),
    );
    // After a power cut, a post whose beginning was not kept would be sent again, and nobody would look for it.
    if (settlements.some((each) => each.kind === 'begun' && each.post !== null)) await sync();
    return lostClaims;
  },

  recover: (notifier) => transaction((trx) => recover(trx, { notifier, token })),

  endLagging: (now) => transaction((trx) => endLagging(trx, now)),

  endUnserved: (notifiers, { before, now }) =>
    transaction((trx) => endUnserved(trx, { notifiers, before, now })),

  backlog: () => backlog(db),
});

/** The most rows that are counted. Beyond that the number does not matter, and to count a million rows takes long. */
const maxCounted = 10_000;

/** Returns what waits, without what waits for a suspended place: that is not late. */
async function backlog(db: Kysely<Tables>) {
  const late = db
    .selectFrom('outbox')
    .select('due')
    .where('receiver', 'not in', (rest) => rest.selectFrom('rest').select('rest.receiver'))
    .orderBy('due');
  const first = await late.limit(1).executeTakeFirst();
  const { found } = await db
    .selectFrom(late.limit(maxCounted + 1).as('late'))
    .select(sql<number>`count(*)`.as('found'))
    .executeTakeFirstOrThrow();
  const more = Number(found) > maxCounted;
  return { waiting: more ? maxCounted : Number(found), ...(more && { more }), oldest: first?.due ?? null };
}

/** Rows of one statement: below the databases' limit of parameters, and few enough not to block. */
const atOnce = 1_000;

/**
 * Enqueues edits of messages that still say that an alert goes on although it is over. A receiver that unsubscribes, pauses
 * or leaves for a while gets nothing new, but may have such messages. Returns the number of rows.
 */
async function endLagging(trx: Transaction<Tables>, now: number): Promise<number> {
  const lagging = await trx
    .selectFrom('alert')
    .innerJoin('post', (join) =>
      join
        .onRef('post.group_key', '=', 'alert.group_key')
        .onRef('post.updated_at', '<', 'alert.ends_at')
        .on(sql<boolean>`post.shown like '%"' || alert.id || '"%'`),
    )
    .select(['post.receiver', 'alert.group_key', 'alert.body'])
    .where('alert.ends_at', 'is not', null)
    .where(sql<boolean>`not exists (select 1 from dispatch where dispatch.alert_id = alert.id)`)
    .where(
      sql<boolean>`not exists (select 1 from outbox where outbox.receiver = post.receiver and outbox.group_key = post.group_key and outbox.replaced is null)`,
    )
    .where('post.receiver', 'not in', suspendedReceivers(trx))
    .limit(atOnce)
    .execute();
  const rows = readable(lagging, ({ receiver, group_key, body }) => {
    const { id, revision } = alertOf(body);
    return {
      ...receiverColumns(receiverOfKey(receiver)),
      group_key,
      alert_id: id,
      revision,
      urgent: 0,
      due: now,
    };
  });
  await enqueue(trx, rows);
  return rows.length;
}

const notSetUp: Reason = { code: 'not_set_up', text: msg('its platform is not set up') };

/** Deletes what waits for a platform that is not configured, once it is too late to send it, and logs it as failed. */
async function endUnserved(
  trx: Transaction<Tables>,
  {
    notifiers,
    before,
    now,
  }: { readonly notifiers: readonly string[]; readonly before: number; readonly now: number },
): Promise<number> {
  const unserved = (await notifiersOf(trx)).filter((each) => !notifiers.includes(each));
  if (unserved.length === 0) return 0;
  const rows = await trx
    .selectFrom('outbox')
    .leftJoin('alert', 'alert.id', 'outbox.alert_id')
    .selectAll('outbox')
    .select('alert.body')
    .where('outbox.receiver', 'in', (queue) =>
      queue
        .selectFrom('queue')
        .select('queue.receiver')
        .where('queue.notifier', 'in', unserved)
        .where('queue.ready', '<', before),
    )
    .where('outbox.due', '<', before)
    .limit(atOnce)
    .execute();
  if (rows.length === 0) return 0;
  const log = rows
    .filter(({ replaced }) => replaced === null)
    .map(({ alert_id, revision, receiver, notifier, address, body }) => {
      const [title = ''] = readable(body === null ? [] : [body], (text) => alertOf(text).annotations.title);
      return {
        at: now,
        alert_id,
        revision,
        receiver,
        notifier,
        address,
        title: JSON.stringify(title),
        outcome: 'failed',
        reason: JSON.stringify(notSetUp),
      };
    });
  await logDeliveries(trx, log);
  const ids = rows.map(({ id }) => id);
  await trx.deleteFrom('outbox').where('id', 'in', ids).execute();
  const receivers = [...new Set(rows.map(({ receiver }) => receiver))];
  await requeue(trx, { receivers, now, begun: 'ended' });
  return rows.length;
}

/**
 * Returns the notifiers for which something waits. The index leads from one to the next: a million rows are not read for a
 * few.
 */
async function notifiersOf(trx: Transaction<Tables>): Promise<string[]> {
  const found: string[] = [];
  for (let last: string | null = ''; last !== null; ) {
    const row: { readonly next: string | null } = await trx
      .selectFrom('queue')
      .select((each) => each.fn.min('notifier').as('next'))
      .where('token', 'is', null)
      .where('notifier', '>', last)
      .executeTakeFirstOrThrow();
    last = row.next;
    if (last !== null) found.push(last);
  }
  return found;
}
