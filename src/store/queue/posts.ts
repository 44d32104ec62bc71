import { sql, type Transaction } from 'kysely';
import type { Statement } from '../../database/at-once.ts';
import type { Claim, SettlementOf as Of } from '../ports.ts';
import type { Tables } from '../tables.ts';

/** Stores what the current messages of these claims show. */
export function upsertPosts(
  trx: Transaction<Tables>,
  settlements: readonly Of<'sent' | 'edited'>[],
): Statement[] {
  if (settlements.length === 0) return [];
  const upsert = trx
    .insertInto('post')
    .values(
      settlements.map(({ claim, at, reference, shown, unknown = false }) => ({
        receiver: claim.key,
        group_key: claim.group,
        reference,
        shown: JSON.stringify(shown),
        unknown: unknown ? 1 : 0,
        updated_at: upToDate(claim, at, shown),
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['receiver', 'group_key']).doUpdateSet({
        reference: sql`excluded.reference`,
        shown: sql`excluded.shown`,
        unknown: sql`excluded.unknown`,
        updated_at: sql`excluded.updated_at`,
      }),
    );
  return [upsert];
}

/** Marks a message that could not be edited, or needs no edit, as up to date, so that `endLagging` leaves it alone. */
export async function touch(
  trx: Transaction<Tables>,
  settlements: readonly Of<'suppressed' | 'failed'>[],
): Promise<void> {
  for (const { claim, at } of settlements) {
    if (claim.post === undefined) continue;
    await trx
      .updateTable('post')
      .set({ updated_at: upToDate(claim, at) })
      .where('receiver', '=', claim.key)
      .where('group_key', '=', claim.group)
      .execute();
  }
}

/**
 * Returns the time as of which a message is up to date. What has changed since the claim was read, while the message was
 * on its way, is not in it.
 * @param shown left out: the message is not brought up to date any more with what the claim is about
 */
function upToDate({ alerts }: Claim, at: number, shown?: Readonly<Record<string, number>>): number {
  if (alerts.length === 0) return at;
  const notShown = alerts.filter(({ id, revision }) => shown !== undefined && revision > (shown[id] ?? 0));
  const newest = Math.max(...alerts.map(({ updatedAt }) => updatedAt));
  return Math.min(newest, ...notShown.map(({ updatedAt }) => updatedAt - 1));
}
