import { sql, type Transaction } from 'kysely';
import type { Reason } from '../alert/reason.ts';
import type { Dialect } from '../database/database.ts';
import { msg } from '../language/text.ts';
import { markPosted } from './outcomes.ts';
import { end, move, rest } from './receivers.ts';
import { doubtState, heldMessage, receiverColumns } from './rows.ts';
import type { Claim, Settlement } from './store.ts';
import { outboxState, type Tables } from './tables.ts';

type Of<Kind extends Settlement['kind']> = Extract<Settlement, { kind: Kind }>;

/**
 * Writes what becomes of claims. A claim whose fence has moved on (its lease was over and another took it) writes
 * nothing, as the rows and the post are the other's; that it was told all the same stands in the delivery log. Returns
 * those claims.
 */
export async function settle(
  trx: Transaction<Tables>,
  settlements: readonly Settlement[],
  dialect: Dialect,
): Promise<ReadonlySet<Claim>> {
  const claims = settlements.map(({ claim }) => claim);
  const lost = await lostAmong(trx, claims, dialect);
  const kindOf =
    (list: readonly Settlement[]) =>
    <Kind extends Settlement['kind']>(...kinds: Kind[]) =>
      list.filter((settlement): settlement is Of<Kind> => kinds.includes(settlement.kind as Kind));
  const kind = kindOf(settlements.filter(({ claim }) => !lost.has(claim)));
  const late = kindOf(settlements.filter(({ claim }) => lost.has(claim)));

  await log(trx, late('sent', 'edited'));
  await markPosted(trx, late('sent'));
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
  for (const { claim, until, group, reason } of kind('postponed')) {
    const why = { reason: JSON.stringify(reason), ...(group !== undefined && { group_key: group }) };
    await release(trx, claim, { state: outboxState.waiting, due: until, ...why });
  }
  for (const settlement of kind('retry')) await retry(trx, settlement);
  for (const { claim, at, wall, reason } of kind('barred')) {
    const doubt = doubtState(claim.doubt);
    await release(trx, claim, { state: outboxState.ready, doubt, reason: JSON.stringify(reason) });
    await rest(trx, claim.receiver, { at, wall, reason: reason.text });
  }
  for (const { claim, at, reason } of kind('gone'))
    await end(trx, claim.receiver, { at, reason: reason.text });
  for (const { claim, to } of kind('moved')) {
    await release(trx, claim, { state: outboxState.ready, doubt: doubtState(claim.doubt) });
    await move(trx, claim.key, to);
  }
  await begin(trx, kind('begun'));
  return lost;
}

/** Those that hold none of their rows any more. What is read is locked, so that it is so until all is written. */
async function lostAmong(
  trx: Transaction<Tables>,
  claims: readonly Claim[],
  dialect: Dialect,
): Promise<ReadonlySet<Claim>> {
  const ids = claims.flatMap(({ rows }) => rows.map(({ id }) => id));
  if (ids.length === 0) return new Set();
  const held = trx.selectFrom('outbox').select(['id', 'fence']).where('id', 'in', ids).orderBy('id');
  const rows = await (dialect === 'postgres' ? held.forUpdate() : held).execute();
  const fences = new Map(rows.map(({ id, fence }) => [id, fence]));
  return new Set(claims.filter((claim) => !claim.rows.some(({ id, fence }) => fences.get(id) === fence)));
}

/** What is about to be posted is in doubt until its end is known: what a killed process had merely claimed is not. */
async function begin(trx: Transaction<Tables>, settlements: readonly Of<'begun'>[]): Promise<void> {
  const rows = settlements.flatMap(({ claim, lease, doubt }) =>
    claim.rows.map((row) => ({ ...row, lease, doubt: doubtState(claim.doubt === 'post' ? 'post' : doubt) })),
  );
  // Of one batch most have one fence, and one lease: a statement each.
  for (const own of Map.groupBy(rows, ({ fence, lease, doubt }) => `${fence} ${lease} ${doubt}`).values()) {
    const [{ fence, lease, doubt }] = own as [(typeof own)[number]];
    const ids = own.map(({ id }) => id);
    await trx
      .updateTable('outbox')
      .set({ doubt, lease_wall: lease })
      .where('id', 'in', ids)
      .where('fence', '=', fence)
      .execute();
  }
}

async function retry(trx: Transaction<Tables>, settlement: Of<'retry'>): Promise<void> {
  const { claim, holdUntil, attempted, doubt, holds, outage, reason } = settlement;
  await release(trx, claim, {
    state: outboxState.ready,
    attempts: claim.attempts + (attempted ? 1 : 0),
    doubt: doubtState(claim.doubt === 'post' ? 'post' : (doubt ?? claim.doubt)),
    reason: JSON.stringify(reason),
  });
  const values = { until_wall: holdUntil, outage: outage ? claim.receiver.notifier : null };
  await trx
    .insertInto('hold')
    .values({ receiver: holds === 'receiver' ? claim.key : heldMessage(claim), ...values })
    .onConflict((conflict) => conflict.column('receiver').doUpdateSet(values))
    .execute();
}

const notKept: Reason = { code: 'not_kept', text: msg('no longer kept') };
const cannotBeRead: Reason = { code: 'defect', text: msg('its stored record is unreadable') };

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
    const became = (alertId: string) => {
      if (told.has(alertId))
        return { outcome: settlement.kind === 'gone' ? 'failed' : settlement.kind, reason };
      if (claim.unreadable?.includes(alertId))
        return { outcome: 'failed', reason: JSON.stringify(cannotBeRead) };
      // Left out of its group's post: the rest of the group was told.
      return { outcome: 'suppressed', reason: JSON.stringify(leftOut.get(alertId)?.reason ?? notKept) };
    };
    const interrupts = settlement.kind === 'sent' && settlement.interrupts === true;
    return claim.rows.map(({ alertId, revision }, index) => ({
      at,
      alert_id: alertId,
      revision,
      ...receiverColumns(claim.receiver),
      title: JSON.stringify(told.get(alertId) ?? leftOut.get(alertId)?.alert.annotations.title ?? ''),
      ...became(alertId),
      // One of its rows counts for the whole post.
      interrupts: interrupts && index === 0 ? 1 : 0,
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
  values: {
    state: 0 | 1;
    due?: number;
    attempts?: number;
    doubt?: number;
    reason?: string;
    group_key?: string;
  },
): Promise<void> {
  for (const { id, fence } of claim.rows) {
    await trx.updateTable('outbox').set(values).where('id', '=', id).where('fence', '=', fence).execute();
  }
}
