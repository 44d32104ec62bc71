import type { Transaction } from 'kysely';
import type { SettlementOf } from './settlement.ts';
import type { Begun, Claim } from './store.ts';
import type { Tables } from './tables.ts';

/** As kept: posts that were begun at one receiver and have not ended, one of a group. */
export const begunOf = (kept: string | null): readonly Begun[] =>
  kept === null ? [] : [JSON.parse(kept) as Begun | Begun[]].flat();

export const begunText = (begun: readonly Begun[]): string | null =>
  begun.length === 0 ? null : JSON.stringify(begun);

/** What is about to be posted is written down, and may stand until its end is known. */
export async function begin(
  trx: Transaction<Tables>,
  { settlements, token }: { readonly settlements: readonly SettlementOf<'begun'>[]; readonly token: number },
): Promise<void> {
  for (const { claim } of settlements.filter(({ claim }) => claim.folded)) {
    const ids = claim.rows.map(({ id }) => id);
    await trx.updateTable('outbox').set({ group_key: claim.group }).where('id', 'in', ids).execute();
  }
  // Of a broadcast all begin the same: one statement.
  const alike = Map.groupBy(settlements, ({ post, claim: { besides = [] } }) =>
    begunText(post === null ? besides : [post, ...besides]),
  );
  for (const [begun, own] of alike) {
    const receivers = own.map(({ claim }) => claim.key);
    await trx.updateTable('queue').set({ token, begun }).where('receiver', 'in', receivers).execute();
  }
}

/** What has been looked for and does not stand. */
export async function trust(
  trx: Transaction<Tables>,
  settlements: readonly SettlementOf<'absent'>[],
): Promise<void> {
  const ids = settlements.flatMap(({ claim }) => claim.rows.map(({ id }) => id));
  if (ids.length === 0) return;
  await trx.updateTable('outbox').set({ doubtful: 0 }).where('id', 'in', ids).execute();
}

/** That one post has ended says nothing of those begun before it. */
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
