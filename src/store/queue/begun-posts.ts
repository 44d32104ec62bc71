import type { Transaction } from 'kysely';
import type { Statement } from '../../database/at-once.ts';
import type { BegunPost, Claim, Settlement, SettlementOf } from '../ports.ts';
import type { Tables } from '../tables.ts';

/** Reads the stored posts that were begun at one receiver and whose outcome is not known, at most one of a group. */
export const parseBegun = (kept: string | null): readonly BegunPost[] =>
  kept === null ? [] : [JSON.parse(kept) as BegunPost | BegunPost[]].flat();

const serializeBegun = (begun: readonly BegunPost[]): string | null =>
  begun.length === 0 ? null : JSON.stringify(begun);

/** Stores which posts are about to be sent. From then on, until its outcome is stored, a post may have arrived. */
export function markBegun(
  trx: Transaction<Tables>,
  settlements: readonly SettlementOf<'begun'>[],
  token: number,
): Statement[] {
  const groupUpdates = settlements.flatMap(({ claim }) => {
    const ids = claim.rows.map(({ id }) => id);
    const rows = trx.updateTable('outbox').where('id', 'in', ids);
    return claim.folded ? [rows.set({ group_key: claim.group })] : [];
  });
  // In a broadcast the same post is begun at all receivers, which takes one statement.
  const settlementsByBegun = Map.groupBy(
    settlements,
    ({ post, claim: { otherPostsInDoubt: besides = [] } }) =>
      serializeBegun(post === null ? besides : [post, ...besides]),
  );
  const queueUpdates = [...settlementsByBegun].map(([begun, own]) => {
    const receivers = own.map(({ claim }) => claim.key);
    return trx.updateTable('queue').set({ token, begun }).where('receiver', 'in', receivers);
  });
  return [...groupUpdates, ...queueUpdates];
}

/** Clears the doubt about the rows of posts that were looked for and have not arrived. */
export function clearDoubt(
  trx: Transaction<Tables>,
  settlements: readonly SettlementOf<'absent'>[],
): Statement[] {
  const ids = settlements.flatMap(({ claim }) => claim.rows.map(({ id }) => id));
  return ids.length === 0 ? [] : [trx.updateTable('outbox').set({ doubtful: 0 }).where('id', 'in', ids)];
}

/** Stores the posts begun at the claim's receiver that may still have arrived. */
export async function storeBegun(
  trx: Transaction<Tables>,
  claim: Claim,
  begun: readonly BegunPost[],
): Promise<void> {
  if (begun.length === 0) return;
  await trx
    .updateTable('queue')
    .set({ begun: serializeBegun(begun) })
    .where('receiver', '=', claim.key)
    .execute();
}

/** Adds what was begun under an earlier address of a receiver to what was begun under its present one. */
export async function moveBegun(trx: Transaction<Tables>, from: string, to: string): Promise<void> {
  const rows = await trx
    .selectFrom('queue')
    .select(['receiver', 'begun'])
    .where('receiver', 'in', [from, to])
    .execute();
  const begunAt = (receiver: string) =>
    parseBegun(rows.find((row) => row.receiver === receiver)?.begun ?? null);
  const there = begunAt(to);
  const moved = begunAt(from).filter((each) => there.every(({ group }) => group !== each.group));
  await trx
    .updateTable('queue')
    .set({ begun: serializeBegun([...there, ...moved]) })
    .where('receiver', '=', to)
    .execute();
}

/** Outcomes that say nothing about a post that was begun before: it stays unknown whether that post arrived. */
const silentOnBegun: readonly Settlement['kind'][] = [
  'postponed',
  'barred',
  'missing',
  'moved',
  'suppressed',
  'failed',
];

/** Returns whether, after this outcome, the post that was begun may still have arrived. */
export const leavesPostInDoubt = (settlement: Settlement): boolean =>
  settlement.kind === 'retry'
    ? settlement.inDoubt
    : silentOnBegun.includes(settlement.kind) && settlement.claim.postInDoubt !== null;
