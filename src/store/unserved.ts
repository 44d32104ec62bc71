import type { Transaction } from 'kysely';
import type { Reason } from '../alert/reason.ts';
import { msg } from '../language/text.ts';
import { alertOf, readable } from './rows.ts';
import type { Tables } from './tables.ts';

/** Rows of one transaction: few enough not to block. */
const atOnce = 1_000;

const notSetUp: Reason = { code: 'not_set_up', text: msg('its platform is not set up') };

/** What nobody sends comes to an end: an operator has taken a platform's token away, and it is too late to tell it. */
export async function endUnserved(
  trx: Transaction<Tables>,
  {
    notifiers,
    before,
    now,
  }: { readonly notifiers: readonly string[]; readonly before: number; readonly now: number },
): Promise<number> {
  const rows = await trx
    .selectFrom('outbox')
    .leftJoin('alert', 'alert.id', 'outbox.alert_id')
    .selectAll('outbox')
    .select('alert.body')
    .where('outbox.notifier', 'not in', notifiers)
    .where('outbox.due', '<', before)
    .limit(atOnce)
    .execute();
  if (rows.length === 0) return 0;
  const log = rows
    .filter(({ replaced }) => replaced === null)
    .map(({ alert_id, revision, receiver, notifier, address, body }) => {
      const [title = ''] = readable(body === null ? [] : [body], (text) => alertOf(text).annotations.title);
      return {
        ...{ at: now, alert_id, revision, receiver, notifier, address, title: JSON.stringify(title) },
        ...{ outcome: 'failed', reason: JSON.stringify(notSetUp) },
      };
    });
  if (log.length > 0) await trx.insertInto('delivery').values(log).execute();
  const ids = rows.map(({ id }) => id);
  await trx.deleteFrom('outbox').where('id', 'in', ids).execute();
  return rows.length;
}
