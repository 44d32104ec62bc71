import type { Transaction } from 'kysely';
import type { Reason } from '../../alert/reason.ts';
import { msg } from '../../language/text.ts';
import { logDeliveries } from '../record/log-deliveries.ts';
import { alertOf, readable } from '../rows.ts';
import type { Tables } from '../tables.ts';
import { requeue } from './queue.ts';

/** Rows of one transaction: few enough not to block. */
const atOnce = 1_000;

const notSetUp: Reason = { code: 'not_set_up', text: msg('its platform is not set up') };

/** Deletes what waits for a platform that is not configured, once it is too late to send it, and logs it as failed. */
export async function endUnserved(
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
