import { hash } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Reason } from '../../alert/reason.ts';
import type { Addresses } from '../../alert/subscription.ts';
import { atOnce, type Statement } from '../../database/at-once.ts';
import type { Dialect } from '../../database/database.ts';
import { msg } from '../../language/text.ts';
import { endReceiver } from '../places/forget.ts';
import type { Claim, SettlementOf as Of, Settlement } from '../ports.ts';
import { logged } from '../record/log-deliveries.ts';
import { markPosted } from '../record/outcomes.ts';
import { receiverColumns } from '../rows.ts';
import type { Tables } from '../tables.ts';
import { clearDoubt, leavesPostInDoubt, markBegun, storeBegun } from './begun-posts.ts';
import { touch, upsertPosts } from './posts.ts';
import { enqueue, lockReceivers, requeue } from './queue.ts';
import { move } from './receivers.ts';
import { endLongMissing, forgetMissing, recordMissing, suspend } from './suspended-receivers.ts';

interface SettleOptions extends Pick<Addresses, 'accountOf'> {
  readonly dialect: Dialect;
  readonly token: number;
  readonly again: boolean;
}

/**
 * Stores the outcomes of claims, under the token of the process that delivers. A claim that another process has by now, or
 * whose receiver has nothing any more, changes nothing: the rows and the post are not its own. If it was sent all the same,
 * that is stored in the delivery log. Returns these claims.
 */
export async function settle(
  trx: Transaction<Tables>,
  { given, dialect, token, accountOf, again }: { readonly given: readonly Settlement[] } & SettleOptions,
): Promise<ReadonlySet<Claim>> {
  const settlements = again ? await notStored(trx, given) : given;
  if (settlements.length === 0) return new Set();
  const tokens = await lockReceivers(
    trx,
    settlements.map(({ claim }) => claim.key),
    dialect,
  );
  const filterByKind =
    (list: readonly Settlement[]) =>
    <Kind extends Settlement['kind']>(...kinds: Kind[]) =>
      list.filter((settlement): settlement is Of<Kind> => kinds.includes(settlement.kind as Kind));
  // Of the claims of one receiver that begin in the same batch only the first has it. The tokens do not tell of the others.
  const firstBegun = new Map(
    filterByKind(settlements.toReversed())('begun').map((each) => [each.claim.key, each]),
  );
  const isOwn = (each: Settlement): boolean => {
    const heldToken = tokens.get(each.claim.key);
    if (heldToken === undefined) return false;
    if (each.kind !== 'begun') return heldToken === null || heldToken === token;
    if (each.isHeld) return heldToken === token;
    const isFree = heldToken === null || (again && heldToken === token);
    return isFree && firstBegun.get(each.claim.key) === each;
  };
  const lostClaims = new Set(settlements.filter((each) => !isOwn(each)).map(({ claim }) => claim));
  const own = await endLongMissing(
    trx,
    settlements.filter(({ claim }) => !lostClaims.has(claim)),
  );
  const ownOfKind = filterByKind(own);
  const lostOfKind = filterByKind(settlements.filter(({ claim }) => lostClaims.has(claim)));

  const keys = (list: readonly Settlement[]) => list.map(({ claim }) => claim.key);

  const final = ownOfKind('sent', 'edited', 'suppressed', 'failed', 'gone');
  const stillInDoubt = own.filter((each) => leavesPostInDoubt(each));
  const settled = own.filter((each) => each.kind !== 'begun' && !stillInDoubt.includes(each));
  // What most settlements need is written together; what few need is written after it, one by one.
  const statements = [
    ...logDeliveries(trx, lostOfKind('sent', 'edited')),
    ...markPosted(trx, [...lostOfKind('sent'), ...ownOfKind('sent')]),
    ...logDeliveries(trx, final),
    ...deleteRows(
      trx,
      [...final, ...ownOfKind('pointed')].flatMap(({ claim }) => claim.rows),
    ),
    ...upsertPosts(trx, ownOfKind('sent', 'edited')),
    ...forgetMissing(trx, keys(ownOfKind('sent', 'edited'))),
    ...markBegun(trx, ownOfKind('begun'), token),
    ...clearDoubt(trx, ownOfKind('absent')),
  ];
  if (isPlain(own)) {
    await requeue(trx, {
      receivers: keys(settled),
      now: latest(settlements),
      begun: 'ended',
      precedingStatements: statements,
    });
    return lostClaims;
  }
  await atOnce(trx, statements);
  await enqueuePointers(trx, ownOfKind('sent', 'edited'));
  await touch(trx, ownOfKind('suppressed', 'failed'));
  for (const { claim, until, group, reason } of ownOfKind('postponed')) {
    const inGroup = group !== undefined && { group_key: group };
    await updateRows(trx, { claim, reason, values: { due: until, ...inGroup } });
  }
  for (const settlement of ownOfKind('retry')) await retry(trx, settlement);
  for (const { claim, at, wall, reason } of ownOfKind('barred')) {
    await updateRows(trx, { claim, reason });
    await suspend(trx, { receiver: claim.receiver, at, wall, reason: reason.text });
  }
  for (const missing of ownOfKind('missing')) {
    const { claim, until, reason } = missing;
    await updateRows(trx, { claim, reason, values: { attempts: claim.attempts + 1 } });
    await hold(trx, claim.key, until);
    await recordMissing(trx, missing);
  }
  for (const { claim, at, reason } of ownOfKind('gone'))
    await endReceiver(trx, { receiver: claim.receiver, at, reason: reason.text });

  const now = latest(settlements);
  await requeue(trx, { receivers: keys(settled), now, begun: 'ended' });
  await requeue(trx, { receivers: keys(stillInDoubt), now, begun: 'open' });
  for (const { claim } of settled) await storeBegun(trx, claim, claim.otherPostsInDoubt ?? []);
  // The rows of these claims are deleted, and with them the note that their posts may have arrived: it is stored again here.
  for (const { claim } of ownOfKind('suppressed', 'failed'))
    if (claim.postInDoubt !== null)
      await storeBegun(trx, claim, [claim.postInDoubt, ...(claim.otherPostsInDoubt ?? [])]);
  for (const { claim, to } of ownOfKind('moved'))
    await move(trx, { from: claim.key, target: to, account: accountOf(to) });
  return lostClaims;
}

const latest = (settlements: readonly Settlement[]): number => Math.max(...settlements.map(({ at }) => at));

/** Returns whether all of them have begun, or were sent and leave nothing to do, as nearly all of a broadcast. */
const isPlain = (settlements: readonly Settlement[]): boolean =>
  settlements.every(
    (each) =>
      each.kind === 'begun' ||
      ((each.kind === 'sent' || each.kind === 'edited') &&
        each.replaced === undefined &&
        each.claim.otherPostsInDoubt === undefined),
  );

/**
 * Returns the settlements that an unanswered commit may not have stored. If the rows of a claim are deleted, its outcome
 * was stored. Any other outcome may be stored twice.
 */
async function notStored(
  trx: Transaction<Tables>,
  settlements: readonly Settlement[],
): Promise<readonly Settlement[]> {
  const ids = settlements.flatMap(({ claim }) => claim.rows.map(({ id }) => id));
  if (ids.length === 0) return settlements;
  const rows = await trx.selectFrom('outbox').select('id').where('id', 'in', ids).execute();
  const storedIds = new Set(rows.map(({ id }) => id));
  return settlements.filter(
    ({ kind, claim: { rows } }) =>
      kind === 'begun' || rows.length === 0 || rows.some(({ id }) => storedIds.has(id)),
  );
}

async function retry(trx: Transaction<Tables>, settlement: Of<'retry'>): Promise<void> {
  const { claim, until, attempted, holds, reason } = settlement;
  await updateRows(trx, {
    claim,
    reason,
    values: { attempts: claim.attempts + (attempted ? 1 : 0), ...(holds === 'message' && { due: until }) },
  });
  if (holds === 'receiver') await hold(trx, claim.key, until);
}

const hold = (trx: Transaction<Tables>, receiver: string, until: number) =>
  trx.updateTable('queue').set({ held: until }).where('receiver', '=', receiver).execute();

const notKept: Reason = { code: 'not_kept', text: msg('no longer kept') };
const cannotBeRead: Reason = { code: 'defect', text: msg('its stored record is unreadable') };

function logDeliveries(
  trx: Transaction<Tables>,
  settlements: readonly Of<'sent' | 'edited' | 'suppressed' | 'failed' | 'gone'>[],
): Statement[] {
  const rows = settlements.flatMap((settlement) => {
    const { claim, at } = settlement;
    const why = 'note' in settlement ? settlement.note : settlement.reason;
    const reason = why === null ? null : JSON.stringify(why);
    const titles = new Map(claim.alerts.map((alert) => [alert.id, alert.annotations.title]));
    const leftOut = new Map(claim.leftOut?.map(({ alert, reason }) => [alert.id, { alert, reason }]));
    const outcomeOf = (alertId: string) => {
      if (titles.has(alertId))
        return { outcome: settlement.kind === 'gone' ? 'failed' : settlement.kind, reason };
      if (claim.unreadable?.includes(alertId))
        return { outcome: 'failed', reason: JSON.stringify(cannotBeRead) };
      // The alert was left out of its group's post, which told of the others.
      return { outcome: 'suppressed', reason: JSON.stringify(leftOut.get(alertId)?.reason ?? notKept) };
    };
    const interrupts = settlement.kind === 'sent' && settlement.interrupts === true;
    return claim.rows.map(({ alertId, revision }, index) => ({
      at,
      alert_id: alertId,
      revision,
      ...receiverColumns(claim.receiver),
      title: JSON.stringify(titles.get(alertId) ?? leftOut.get(alertId)?.alert.annotations.title ?? ''),
      ...outcomeOf(alertId),
      // One of its rows counts for the whole post.
      interrupts: interrupts && index === 0 ? 1 : 0,
    }));
  });
  return logged(trx, rows);
}

function deleteRows(trx: Transaction<Tables>, rows: Claim['rows']): Statement[] {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  return [trx.deleteFrom('outbox').where('id', 'in', ids)];
}

/** Enqueues the edit of each message that was replaced, so that it is edited once, even if the process is killed before. */
async function enqueuePointers(
  trx: Transaction<Tables>,
  settlements: readonly Of<'sent' | 'edited'>[],
): Promise<void> {
  const rows = settlements.flatMap(({ claim, at, replaced }) => {
    const alertId = claim.rows[0]?.alertId ?? claim.alerts[0]?.id;
    if (replaced === undefined || alertId === undefined) return [];
    return {
      ...receiverColumns(claim.receiver),
      group_key: claim.group,
      alert_id: alertId,
      // This row is about no revision. A number below zero is that of no other row, and each replaced message has its own.
      revision: -1 - (hash('sha256', replaced, 'buffer').readUInt32BE() >>> 1),
      urgent: 0,
      due: at,
      replaced,
    };
  });
  await enqueue(trx, rows);
}

/**
 * Updates the rows of a claim that goes on waiting, and why it does. A digest of what is beyond the budget says so, whatever
 * delays it further.
 */
async function updateRows(
  trx: Transaction<Tables>,
  {
    claim,
    reason,
    values = {},
  }: {
    readonly claim: Claim;
    readonly reason: Reason;
    readonly values?: { due?: number; attempts?: number; group_key?: string };
  },
): Promise<void> {
  const ids = claim.rows.map(({ id }) => id);
  const code = claim.waitedFor === 'over_budget' ? claim.waitedFor : reason.code;
  await trx
    .updateTable('outbox')
    .set({ ...values, reason: JSON.stringify({ ...reason, code }) })
    .where('id', 'in', ids)
    .execute();
}
