import { sql, type Transaction } from 'kysely';
import type { Reason } from '../alert/reason.ts';
import { msg } from '../language/text.ts';
import { markPosted } from './outcomes.ts';
import { end, move, rest } from './receivers.ts';
import { receiverColumns } from './rows.ts';
import type { Claim, Settlement } from './store.ts';
import { outboxState, type Tables } from './tables.ts';

type Of<Kind extends Settlement['kind']> = Extract<Settlement, { kind: Kind }>;

/**
 * Writes what becomes of claims. A claim whose fence has moved on (its lease was over and another took it) writes
 * nothing but its delivery: the rows are the other's. Returns those of them that were to be begun.
 */
export async function settle(
  trx: Transaction<Tables>,
  settlements: readonly Settlement[],
): Promise<ReadonlySet<Claim>> {
  const kind = <Kind extends Settlement['kind']>(...kinds: Kind[]) =>
    settlements.filter((settlement): settlement is Of<Kind> => kinds.includes(settlement.kind as Kind));

  const ended = kind('sent', 'edited', 'suppressed', 'failed', 'gone');
  await log(trx, ended);
  await remove(
    trx,
    [...ended, ...kind('pointed')].flatMap(({ claim }) => claim.rows),
  );
  await post(trx, kind('sent', 'edited'));
  await enqueuePointers(trx, kind('sent', 'edited'));
  await touch(trx, kind('suppressed', 'failed'));
  await markPosted(trx, kind('sent'));
  for (const { claim, until, reason } of kind('postponed')) {
    await release(trx, claim, { state: outboxState.waiting, due: until, reason: JSON.stringify(reason) });
  }
  for (const { claim, holdUntil, attempted, doubt, outage, reason } of kind('retry')) {
    await release(trx, claim, {
      state: outboxState.ready,
      attempts: claim.attempts + (attempted ? 1 : 0),
      doubt: claim.doubt || doubt ? 1 : 0,
      reason: JSON.stringify(reason),
    });
    await trx
      .insertInto('hold')
      .values({
        receiver: claim.key,
        until_wall: holdUntil,
        outage: outage ? claim.receiver.notifier : null,
      })
      .onConflict((conflict) =>
        conflict.column('receiver').doUpdateSet({
          until_wall: sql`excluded.until_wall`,
          outage: sql`excluded.outage`,
        }),
      )
      .execute();
  }
  for (const { claim, at, wall, reason } of kind('barred')) {
    const doubt = claim.doubt ? 1 : 0;
    await release(trx, claim, { state: outboxState.ready, doubt, reason: JSON.stringify(reason) });
    await rest(trx, claim.receiver, { at, wall, reason: reason.text });
  }
  for (const { claim, at, reason } of kind('gone'))
    await end(trx, claim.receiver, { at, reason: reason.text });
  for (const { claim, to } of kind('moved')) {
    await release(trx, claim, { state: outboxState.ready, doubt: claim.doubt ? 1 : 0 });
    await move(trx, claim.key, to);
  }
  return begin(trx, kind('begun'));
}

/** What is about to be posted is in doubt until its end is known: what a killed process had merely claimed is not. */
async function begin(
  trx: Transaction<Tables>,
  settlements: readonly Of<'begun'>[],
): Promise<ReadonlySet<Claim>> {
  const rows = settlements.flatMap(({ claim, lease }) => claim.rows.map((row) => ({ ...row, claim, lease })));
  const lost = new Set<Claim>();
  // Of one batch most have one fence, and one lease: a statement each.
  for (const own of Map.groupBy(rows, ({ fence, lease }) => `${fence} ${lease}`).values()) {
    const [{ fence, lease }] = own as [(typeof own)[number]];
    const ids = own.map(({ id }) => id);
    const begun = await trx
      .updateTable('outbox')
      .set({ doubt: 1, lease_wall: lease })
      .where('id', 'in', ids)
      .where('fence', '=', fence)
      .returning('id')
      .execute();
    const held = new Set(begun.map(({ id }) => Number(id)));
    for (const { id, claim } of own) if (!held.has(Number(id))) lost.add(claim);
  }
  return lost;
}

const notKept: Reason = { code: 'not_kept', text: msg('no longer kept') };

async function log(
  trx: Transaction<Tables>,
  settlements: readonly Of<'sent' | 'edited' | 'suppressed' | 'failed' | 'gone'>[],
): Promise<void> {
  const rows = settlements.flatMap((settlement) => {
    const { claim, at } = settlement;
    const why = 'note' in settlement ? settlement.note : settlement.reason;
    const reason = why === null ? null : JSON.stringify(why);
    const told = new Map(claim.alerts.map((alert) => [alert.id, alert.annotations.title]));
    const leftOut = new Map(claim.leftOut?.map(({ alert, reason }) => [alert.id, { alert, reason }]));
    return claim.rows.map(({ alertId, revision }) => ({
      at,
      alert_id: alertId,
      revision,
      ...receiverColumns(claim.receiver),
      title: JSON.stringify(told.get(alertId) ?? leftOut.get(alertId)?.alert.annotations.title ?? ''),
      // An alert left out of its group's post: the rest of the group was told.
      ...(told.has(alertId)
        ? {
            outcome: settlement.kind === 'gone' ? 'failed' : settlement.kind,
            reason,
          }
        : { outcome: 'suppressed', reason: JSON.stringify(leftOut.get(alertId)?.reason ?? notKept) }),
    }));
  });
  if (rows.length > 0) await trx.insertInto('delivery').values(rows).execute();
}

async function remove(trx: Transaction<Tables>, rows: Claim['rows']): Promise<void> {
  // Rows of one batch share few fences: a statement each, rather than a pair per row.
  for (const [fence, own] of Map.groupBy(rows, (row) => row.fence)) {
    await trx
      .deleteFrom('outbox')
      .where(
        'id',
        'in',
        own.map(({ id }) => id),
      )
      .where('fence', '=', fence)
      .execute();
  }
}

async function post(trx: Transaction<Tables>, settlements: readonly Of<'sent' | 'edited'>[]): Promise<void> {
  if (settlements.length === 0) return;
  await trx
    .insertInto('post')
    .values(
      settlements.map(({ claim, at, reference, shown, unknown = false }) => ({
        receiver: claim.key,
        group_key: claim.group,
        reference,
        shown: JSON.stringify(shown),
        unknown: unknown ? 1 : 0,
        updated_at: at,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['receiver', 'group_key']).doUpdateSet({
        reference: sql`excluded.reference`,
        shown: sql`excluded.shown`,
        unknown: sql`excluded.unknown`,
        updated_at: sql`excluded.updated_at`,
      }),
    )
    .execute();
}

/** A message that was replaced is edited in its turn: once, whatever becomes of the process until then. */
async function enqueuePointers(
  trx: Transaction<Tables>,
  settlements: readonly Of<'sent' | 'edited'>[],
): Promise<void> {
  const rows = settlements.flatMap(({ claim, at, replaced }) => {
    const [row] = claim.rows;
    if (replaced === undefined || row === undefined) return [];
    return {
      ...receiverColumns(claim.receiver),
      group_key: claim.group,
      alert_id: row.alertId,
      // It tells of no revision: below zero it takes the place of none.
      revision: -row.revision,
      urgent: 0,
      due: at,
      state: outboxState.ready,
      replaced,
    };
  });
  if (rows.length === 0) return;
  await trx
    .insertInto('outbox')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['receiver', 'alert_id', 'revision']).doNothing())
    .execute();
}

/** A message that could not be edited, or says it all, is as good as it gets: it is not looked at again. */
async function touch(
  trx: Transaction<Tables>,
  settlements: readonly Of<'suppressed' | 'failed'>[],
): Promise<void> {
  for (const { claim, at } of settlements) {
    if (claim.post === undefined) continue;
    await trx
      .updateTable('post')
      .set({ updated_at: at })
      .where('receiver', '=', claim.key)
      .where('group_key', '=', claim.group)
      .execute();
  }
}

async function release(
  trx: Transaction<Tables>,
  claim: Claim,
  values: { state: 0 | 1; due?: number; attempts?: number; doubt?: number; reason?: string },
): Promise<void> {
  for (const { id, fence } of claim.rows) {
    await trx.updateTable('outbox').set(values).where('id', '=', id).where('fence', '=', fence).execute();
  }
}
