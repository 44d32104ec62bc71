import type { Kysely, Transaction } from 'kysely';
import { type Receiver, receiverKey, receiverOfKey } from '../../alert/subscription.ts';
import type { Statement } from '../../database/at-once.ts';
import type { Database } from '../../database/database.ts';
import { msg } from '../../language/text.ts';
import { day } from '../../runtime/units.ts';
import { audit } from '../places/audit.ts';
import { endReceiver, tocsinAuthor } from '../places/forget.ts';
import type { Settlement, StopReason } from '../ports.ts';
import type { Tables } from '../tables.ts';
import { never, requeue } from './queue.ts';

/** Wall ms for which all that a place has is kept while the bot may not post there: bots are also removed by mistake. */
const suspendedFor = 30 * day;
/** The same if the place is not found, which platforms also say about places that come back. */
const missingFor = 3 * day;

type Missing = Extract<Settlement, { readonly kind: 'missing' }>;

/** Returns the query for the receivers to which nothing is sent for now. */
export const suspendedReceivers = (db: Kysely<Tables>) =>
  db.selectFrom('rest').select('rest.receiver').where('rest.tried', '=', 0);

/** Stops sending to a receiver until it is woken. What waits for it is kept. */
export async function suspend(
  trx: Transaction<Tables>,
  { receiver, at, wall, reason }: { readonly receiver: Receiver } & StopReason & { readonly wall: number },
): Promise<void> {
  const until_wall = wall + suspendedFor;
  const { numInsertedOrUpdatedRows = 0n } = await trx
    .insertInto('rest')
    .values({ receiver: receiverKey(receiver), until_wall })
    .onConflict((conflict) =>
      conflict.column('receiver').doUpdateSet({ until_wall, tried: 0 }).where('rest.tried', '=', 1),
    )
    .executeTakeFirst();
  await trx
    .updateTable('queue')
    .set({ held: never, ready: never })
    .where('receiver', '=', receiverKey(receiver))
    .execute();
  if (numInsertedOrUpdatedRows > 0n)
    await audit(trx, {
      ...tocsinAuthor(receiver, at),
      what: msg('Alerts here are on hold until the bot may post again: {reason}', { reason }),
    });
}

/**
 * Stores that a place was not found. The place has three days from the first time to come back, and is tried now and then.
 */
export async function recordMissing(
  trx: Transaction<Tables>,
  { claim: { receiver }, at, wall, reason }: Missing,
): Promise<void> {
  const { numInsertedOrUpdatedRows = 0n } = await trx
    .insertInto('rest')
    .values({ receiver: receiverKey(receiver), until_wall: wall + missingFor, tried: 1 })
    .onConflict((conflict) => conflict.column('receiver').doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n) return;
  const what = msg('Nothing can be posted here for now: {reason}', { reason: reason.text });
  await audit(trx, { ...tocsinAuthor(receiver, at), what });
}

/**
 * Turns `missing` into `gone` for receivers that are still not found after three days: that takes another attempt, not only
 * the time.
 */
export async function endLongMissing(
  trx: Transaction<Tables>,
  settlements: readonly Settlement[],
): Promise<readonly Settlement[]> {
  const missing = settlements.filter((each): each is Missing => each.kind === 'missing');
  if (missing.length === 0) return settlements;
  const kept = await trx
    .selectFrom('rest')
    .selectAll()
    .where(
      'receiver',
      'in',
      missing.map(({ claim }) => claim.key),
    )
    .where('tried', '=', 1)
    .execute();
  const untilByReceiver = new Map(kept.map(({ receiver, until_wall }) => [receiver, until_wall]));
  return settlements.map((each) => {
    if (each.kind !== 'missing') return each;
    const { claim, at, wall, reason } = each;
    const isOver = wall >= (untilByReceiver.get(claim.key) ?? Number.POSITIVE_INFINITY);
    return isOver ? { kind: 'gone', claim, at, reason } : each;
  });
}

/** Deletes the notes that these receivers were not found, because something has been sent to them. */
export const forgetMissing = (trx: Transaction<Tables>, receivers: readonly string[]): Statement[] =>
  receivers.length === 0
    ? []
    : [trx.deleteFrom('rest').where('receiver', 'in', receivers).where('tried', '=', 1)];

export async function wake(
  trx: Transaction<Tables>,
  { receiver, at }: { readonly receiver: Receiver; readonly at: number },
): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom('rest')
    .where('receiver', '=', receiverKey(receiver))
    .executeTakeFirst();
  const key = receiverKey(receiver);
  await trx.updateTable('queue').set({ held: 0 }).where('receiver', '=', key).execute();
  await requeue(trx, { receivers: [key], now: at, begun: 'open' });
  if (numDeletedRows > 0n)
    await audit(trx, {
      ...tocsinAuthor(receiver, at),
      what: msg('Alerts here are back: the bot may post again'),
    });
}

/** Deletes everything of the receivers whose time to come back is over. */
export async function endLongSuspended(
  { db, transaction }: Pick<Database<Tables>, 'db' | 'transaction'>,
  wall: number,
  at: number,
): Promise<void> {
  const expired = await suspendedReceivers(db).where('until_wall', '<=', wall).execute();
  for (const { receiver } of expired) {
    const reason = msg('nothing could be posted for 30 days');
    await transaction(async (trx) => {
      // It may have been woken since.
      const { numDeletedRows } = await trx
        .deleteFrom('rest')
        .where('receiver', '=', receiver)
        .where('tried', '=', 0)
        .where('until_wall', '<=', wall)
        .executeTakeFirst();
      if (numDeletedRows > 0n) await endReceiver(trx, { receiver: receiverOfKey(receiver), at, reason });
    });
  }
}
