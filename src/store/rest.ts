import type { Kysely, Transaction } from 'kysely';
import { type Receiver, receiverKey, receiverOfKey } from '../alert/subscription.ts';
import type { Statement } from '../database/at-once.ts';
import type { Database } from '../database/database.ts';
import { msg } from '../language/text.ts';
import { day } from '../runtime/units.ts';
import { record } from './audit.ts';
import { end, itself } from './forget.ts';
import { never, requeue } from './queue.ts';
import type { Settlement, Why } from './store.ts';
import type { Tables } from './tables.ts';

/** How long what a place has is kept while nothing can be posted there, wall ms: bots are removed by mistake. */
const restFor = 30 * day;
/** How long it is kept where the place is not found: a platform says so also of what comes back. */
const missFor = 3 * day;

type Missing = Extract<Settlement, { readonly kind: 'missing' }>;

/** Receivers that are told nothing, for now. */
export const resting = (db: Kysely<Tables>) =>
  db.selectFrom('rest').select('rest.receiver').where('rest.tried', '=', 0);

/** It is told nothing until it wakes; what waits for it waits on. */
export async function rest(
  trx: Transaction<Tables>,
  { receiver, at, wall, reason }: { readonly receiver: Receiver } & Why & { readonly wall: number },
): Promise<void> {
  const until_wall = wall + restFor;
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
    await record(trx, {
      ...itself(receiver, at),
      what: msg('Alerts here are on hold until the bot may post again: {reason}', { reason }),
    });
}

/** It was not found: from the first time on it has three days to come back, and is tried now and then until it does. */
export async function miss(
  trx: Transaction<Tables>,
  { claim: { receiver }, at, wall, reason }: Missing,
): Promise<void> {
  const { numInsertedOrUpdatedRows = 0n } = await trx
    .insertInto('rest')
    .values({ receiver: receiverKey(receiver), until_wall: wall + missFor, tried: 1 })
    .onConflict((conflict) => conflict.column('receiver').doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n) return;
  const what = msg('Nothing can be posted here for now: {reason}', { reason: reason.text });
  await record(trx, { ...itself(receiver, at), what });
}

/** What is not found though its three days are over has gone: the last word is the platform's, and not the clock's. */
export async function judged(
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
  const until = new Map(kept.map(({ receiver, until_wall }) => [receiver, until_wall]));
  return settlements.map((each) => {
    if (each.kind !== 'missing') return each;
    const { claim, at, wall, reason } = each;
    const over = wall >= (until.get(claim.key) ?? Number.POSITIVE_INFINITY);
    return over ? { kind: 'gone', claim, at, reason } : each;
  });
}

/** Whoever was not found is there again. */
export const found = (trx: Transaction<Tables>, receivers: readonly string[]): Statement[] =>
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
    await record(trx, { ...itself(receiver, at), what: msg('Alerts here are back: the bot may post again') });
}

/** Those that have rested to the end of their time go. */
export async function endRested(
  { db, transaction }: Pick<Database<Tables>, 'db' | 'transaction'>,
  { wall, at }: { readonly wall: number; readonly at: number },
): Promise<void> {
  const over = await resting(db).where('until_wall', '<=', wall).execute();
  for (const { receiver } of over) {
    const reason = msg('nothing could be posted for 30 days');
    await transaction((trx) => end(trx, { receiver: receiverOfKey(receiver), at, reason }));
  }
}
