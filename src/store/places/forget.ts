import type { Transaction } from 'kysely';
import { type Receiver, receiverKey } from '../../alert/subscription.ts';
import { msg } from '../../language/text.ts';
import type { StopReason } from '../ports.ts';
import { noteDeleted } from '../record/record-rows.ts';
import type { Tables } from '../tables.ts';
import { audit } from './audit.ts';
import { forgetPreferences } from './preferences.ts';
import { forgetRules } from './rules.ts';
import { removeSubscriptions } from './subscriptions.ts';

export const tocsinAuthor = (receiver: Receiver, at: number) => ({
  receiver,
  who: 'Tocsin',
  person: null,
  at,
});

/** Deletes all that a receiver has, and notes it in the audit log if it had subscriptions, rules or hooks. */
export async function endReceiver(
  trx: Transaction<Tables>,
  { receiver, at, reason }: { readonly receiver: Receiver } & StopReason,
): Promise<void> {
  const { subscription = 0, rule = 0, hook = 0 } = await forget(trx, receiverKey(receiver));
  if (subscription + rule + hook > 0)
    await audit(trx, {
      ...tocsinAuthor(receiver, at),
      what: msg('Subscriptions and alerts here ended: {reason}', { reason }),
    });
}

/** Tables whose rows name their receiver and are simply deleted with it. */
const ownedTables = [
  'silence',
  'hook',
  'living_board',
  'price_call',
  'watchlist',
  'outbox',
  'post',
  'rest',
  'api_key',
] as const;

/**
 * Deletes all that a receiver has, except the logs of deliveries and changes. Returns the number of deleted rows by table.
 */
export async function forget(trx: Transaction<Tables>, receiver: string): Promise<Record<string, number>> {
  const deleteOwn = async (table: 'queue' | (typeof ownedTables)[number]) => {
    const own = trx.deleteFrom(table).where('receiver', '=', receiver);
    return Number((await own.executeTakeFirst()).numDeletedRows);
  };
  const counts: Record<string, number> = { queue: await deleteOwn('queue') };
  counts.subscription = (
    await removeSubscriptions(trx, (all) => all.where('receiver', '=', receiver))
  ).length;
  for (const table of ownedTables) counts[table] = await deleteOwn(table);
  counts.rule = await forgetRules(trx, receiver);
  await noteDeleted(trx, trx.deleteFrom('alert').where('only_for', '=', receiver));
  counts.preferences = await forgetPreferences(trx, receiver);
  return counts;
}
