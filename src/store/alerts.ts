import type { Kysely, Transaction } from 'kysely';
import { follow } from './outcomes.ts';
import { alertOf, alertRow, keptAlertOf } from './rows.ts';
import type { DispatchUnit, Store } from './store.ts';
import type { Tables } from './tables.ts';

export const alertStore = (db: Kysely<Tables>): Pick<Store, 'alerts'> => ({
  alerts: {
    async firing() {
      const rows = await db
        .selectFrom('alert')
        .select('body')
        .where('ends_at', 'is', null)
        .where('only_for', 'is', null)
        .orderBy('updated_at', 'desc')
        .execute();
      return rows.map(({ body }) => alertOf(body));
    },
    async recent(limit) {
      const rows = await db
        .selectFrom('alert')
        .select('body')
        .where('only_for', 'is', null)
        .orderBy('updated_at', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ body }) => alertOf(body));
    },
    async heldBack() {
      const rows = await db
        .selectFrom('alert')
        .innerJoin('alert as by', (join) =>
          join.onRef('by.fingerprint', '=', 'alert.held_by').on('by.ends_at', 'is', null),
        )
        .select(['alert.body', 'by.body as by'])
        .where('alert.ends_at', 'is', null)
        .where('alert.only_for', 'is', null)
        .execute();
      return rows.map(({ body, by }) => ({ alert: alertOf(body), by: alertOf(by).annotations.title }));
    },
  },
});

export const dispatchUnit = (trx: Transaction<Tables>): DispatchUnit => ({
  async open(fingerprint) {
    const row = await trx
      .selectFrom('alert')
      .select(['body', 'group_key', 'due', 'held_by'])
      .where('fingerprint', '=', fingerprint)
      .where('ends_at', 'is', null)
      .executeTakeFirst();
    return row === undefined ? undefined : keptAlertOf(row);
  },
  async firing() {
    const rows = await trx
      .selectFrom('alert')
      .select(['body', 'group_key', 'due', 'held_by'])
      .where('ends_at', 'is', null)
      .execute();
    return rows.map(keptAlertOf);
  },
  async save(kept) {
    const { id, ...rest } = alertRow(kept);
    await trx
      .insertInto('alert')
      .values({ id, ...rest })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(rest))
      .execute();
  },
  async announce({ alert, group, due }) {
    await trx
      .insertInto('dispatch')
      .values({
        alert_id: alert.id,
        revision: alert.revision,
        group_key: group,
        body: JSON.stringify(alert),
        due,
        cursor: 0,
      })
      .execute();
  },
  follow: (alert, judged) => follow(trx, alert, judged),
  async saveState(name, state, now) {
    const values = { state: JSON.stringify(state), updated_at: now };
    await trx
      .insertInto('detector')
      .values({ name, ...values })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
      .execute();
  },
});
