import { type Kysely, sql, type Transaction } from 'kysely';
import type { Alert, Annotations } from '../../alert/alert.ts';
import { digestPrefix } from '../../alert/post-group.ts';
import { nextRevision } from '../places/rules.ts';
import { note } from '../record/chain.ts';
import { changeDeliveries } from '../record/log-deliveries.ts';
import { noteEntries } from '../record/record-rows.ts';
import { alertOf } from '../rows.ts';
import type { Tables } from '../tables.ts';

/**
 * Bases anew what was written by a clock that was ahead: it showed `last`, and it is `now`, market ms. What waits is decided on
 * again now, and a time that lies ahead is now. What people have set lasts as long from now on as it would have lasted.
 */
export async function rebase(
  trx: Transaction<Tables>,
  { last, now }: { readonly last: number; readonly now: number },
): Promise<void> {
  const by = last - now;
  await trx
    .updateTable('outbox')
    .set({ due: sql<number>`case when due - ${by} > ${now} then due - ${by} else ${now} end` })
    .where('alert_id', 'in', trx.selectFrom('alert').select('id').where('updated_at', '>', now))
    .where('due', '>', now)
    .execute();
  // A digest that was not written ahead keeps its time; all else finds out at its turn whether it must wait.
  await trx
    .updateTable('outbox')
    .set({ due: now })
    .where('due', '>', now)
    .where('group_key', 'not like', `${digestPrefix}%`)
    .execute();
  await trx.updateTable('queue').set({ held: now }).where('held', '>', now).execute();
  await trx
    .updateTable('queue')
    .set({
      ready: sql<number>`coalesce((select min(due) from outbox where outbox.receiver = queue.receiver), ready)`,
    })
    .where('ready', '>', now)
    .where('token', 'is', null)
    .execute();

  const alerts = await rebaseAlerts(trx, now);
  await trx.updateTable('post').set({ updated_at: now }).where('updated_at', '>', now).execute();
  await changeDeliveries(trx, (row) => row('at', '>', now), { at: now });
  const outcomes = await trx
    .updateTable('outcome')
    .set((row) => ({ due: row('due', '-', sql<number>`(fired_at - ${now})`), fired_at: now }))
    .where('fired_at', '>', now)
    .returning('alert_id')
    .execute();
  const followed = outcomes.map(({ alert_id: id }) => id);
  if (alerts.length + followed.length > 0) {
    await note(trx, { rebased: [...new Set([...alerts, ...followed])] }).execute();
    await noteEntries(trx, alerts, [...new Set([...alerts, ...followed])]);
  }
  await rebaseWishes(trx, last, now);
}

/** @returns the ids of the stored alerts that were changed */
async function rebaseAlerts(trx: Kysely<Tables>, now: number): Promise<string[]> {
  const rows = await trx.selectFrom('alert').select(['id', 'body']).where('updated_at', '>', now).execute();
  for (const { id, body } of rows) {
    const alert = boundAlert(alertOf(body), now);
    const values = { body: JSON.stringify(alert), updated_at: alert.updatedAt, ends_at: alert.endsAt };
    await trx.updateTable('alert').set(values).where('id', '=', id).execute();
  }
  const due = await trx
    .updateTable('alert')
    .set({ due: now })
    .where('due', '>', now)
    .returning('id')
    .execute();
  const announced = await trx.selectFrom('dispatch').select(['id', 'body']).where('at', '>', now).execute();
  for (const { id, body } of announced) {
    const values = { body: JSON.stringify(boundAlert(alertOf(body), now)), at: now };
    await trx.updateTable('dispatch').set(values).where('id', '=', id).execute();
  }
  await trx.updateTable('dispatch').set({ due: now }).where('due', '>', now).execute();
  return [...new Set([...rows, ...due].map(({ id }) => id))];
}

function boundAlert({ worsenedAt, writtenAt, ...alert }: Alert, now: number): Alert {
  const bound = (at: number) => Math.min(at, now);
  const dated = (said: Annotations): Annotations => ({ ...said, dataTime: bound(said.dataTime) });
  return {
    ...alert,
    ...(worsenedAt !== undefined && { worsenedAt: bound(worsenedAt) }),
    annotations: dated(alert.annotations),
    event: dated(alert.event),
    startsAt: bound(alert.startsAt),
    updatedAt: bound(alert.updatedAt),
    writtenAt: writtenAt ?? alert.updatedAt,
    endsAt: alert.endsAt === null ? null : bound(alert.endsAt),
  };
}

async function rebaseWishes(trx: Kysely<Tables>, last: number, now: number): Promise<void> {
  await trx
    .updateTable('silence')
    .set((row) => ({ ends_at: row('ends_at', '-', sql<number>`(starts_at - ${now})`), starts_at: now }))
    .where('starts_at', '>', now)
    .execute();
  await trx.updateTable('price_call').set({ made_at: now }).where('made_at', '>', now).execute();
  const revision = await nextRevision(trx);
  await trx
    .updateTable('rule')
    .set((row) => ({
      revision,
      expires_at: row('expires_at', '-', sql<number>`(created_at - ${now})`),
      created_at: now,
    }))
    .where('created_at', '>', now)
    .execute();
  // To the clock that was ahead they had expired, and whoever keeps rules in memory has dropped them.
  await trx
    .updateTable('rule')
    .set({ revision })
    .where('expires_at', '>', now)
    .where('expires_at', '<=', last)
    .execute();
}
