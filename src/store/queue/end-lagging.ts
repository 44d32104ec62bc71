import { sql, type Transaction } from 'kysely';
import { receiverOfKey } from '../../alert/subscription.ts';
import { alertOf, readable, receiverColumns } from '../rows.ts';
import type { Tables } from '../tables.ts';
import { enqueue } from './queue.ts';
import { suspendedReceivers } from './suspended-receivers.ts';

/** Rows of one statement: below the databases' limit of parameters, and few enough not to block. */
const atOnce = 1_000;

/**
 * Enqueues edits of messages that still say that an alert goes on although it is over. A receiver that unsubscribes, pauses
 * or leaves for a while gets nothing new, but may have such messages. Returns the number of rows.
 */
export async function endLagging(trx: Transaction<Tables>, now: number): Promise<number> {
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
