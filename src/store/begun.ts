import type { Transaction } from 'kysely';
import type { Statement } from '../database/at-once.ts';
import type { SettlementOf } from './settlement.ts';
import type { Begun, Claim } from './store.ts';
import type { Tables } from './tables.ts';

/** As stored: posts that were begun at one receiver and whose outcome is not known, one of a group. */
export const begunOf = (kept: string | null): readonly Begun[] =>
  kept === null ? [] : [JSON.parse(kept) as Begun | Begun[]].flat();

export const begunText = (begun: readonly Begun[]): string | null =>
  begun.length === 0 ? null : JSON.stringify(begun);

/** Stores what is about to be posted: from now on it may have arrived, until its outcome is stored. */
export function begun(
  trx: Transaction<Tables>,
  { settlements, token }: { readonly settlements: readonly SettlementOf<'begun'>[]; readonly token: number },
): Statement[] {
  const folded = settlements.flatMap(({ claim }) => {
    const ids = claim.rows.map(({ id }) => id);
    const rows = trx.updateTable('outbox').where('id', 'in', ids);
    return claim.folded ? [rows.set({ group_key: claim.group })] : [];
  });
  // In a broadcast all begin the same, which is one statement.
  const alike = Map.groupBy(settlements, ({ post, claim: { besides = [] } }) =>
    begunText(post === null ? besides : [post, ...besides]),
  );
  const queued = [...alike].map(([begun, own]) => {
    const receivers = own.map(({ claim }) => claim.key);
    return trx.updateTable('queue').set({ token, begun }).where('receiver', 'in', receivers);
  });
  return [...folded, ...queued];
}

/** The posts that were looked for and have not arrived: their rows are no longer in doubt. */
export function clearDoubt(
  trx: Transaction<Tables>,
  settlements: readonly SettlementOf<'absent'>[],
): Statement[] {
  const ids = settlements.flatMap(({ claim }) => claim.rows.map(({ id }) => id));
  return ids.length === 0 ? [] : [trx.updateTable('outbox').set({ doubtful: 0 }).where('id', 'in', ids)];
}

/** Keeps the other posts begun there: that one has ended says nothing about them. */
export async function keepBegun(
  trx: Transaction<Tables>,
  { claim, begun }: { readonly claim: Claim; readonly begun: readonly Begun[] },
): Promise<void> {
  if (begun.length === 0) return;
  await trx
    .updateTable('queue')
    .set({ begun: begunText(begun) })
    .where('receiver', '=', claim.key)
    .execute();
}
