import { type Kysely, sql, type Transaction } from 'kysely';
import { isUrgent } from '../../alert/alert.ts';
import type { Expectation } from '../../alert/outcome.ts';
import { calls } from '../places/calls.ts';
import { hooks } from '../places/hooks.ts';
import type { DispatchUnit, PlaceIds, PublicAlerts } from '../ports.ts';
import { chain } from '../record/chain.ts';
import { followPrice } from '../record/outcomes.ts';
import { noteEntries } from '../record/record-rows.ts';
import { alertOf, alertRow, keptAlertOf, readable } from '../rows.ts';
import type { Tables } from '../tables.ts';

export const publicAlerts = (db: Kysely<Tables>): PublicAlerts => ({
  async firing(kinds) {
    const rows = await firingAlerts(db, kinds).select('body').where('only_for', 'is', null).execute();
    // The database does not sort them: SQLite would read all stored alerts in their order to find the few that fire.
    return readable(rows, ({ body }) => alertOf(body)).sort((a, b) => b.updatedAt - a.updatedAt);
  },
  async recent(limit) {
    const rows = await db
      .selectFrom('alert')
      .select('body')
      .where('only_for', 'is', null)
      .orderBy('updated_at', 'desc')
      .limit(limit)
      .execute();
    return readable(rows, ({ body }) => alertOf(body));
  },
  async heldBack(since) {
    const rows = await db
      .selectFrom('alert')
      .innerJoin('alert as by', 'by.fingerprint', 'alert.held_by')
      .select(['alert.body', 'by.body as by'])
      .where('alert.only_for', 'is', null)
      .where((or) => or.or([or('alert.ends_at', 'is', null), or('alert.ends_at', '>=', since)]))
      .orderBy('alert.updated_at', 'desc')
      .execute();
    const pairs = readable(rows, ({ body, by }) => ({ alert: alertOf(body), by: alertOf(by) }));
    // The broader alert may have had other episodes since: the latest that had begun by then held this one back.
    const holders = Map.groupBy(
      pairs.filter(({ alert, by }) => by.startsAt <= alert.updatedAt),
      ({ alert }) => alert.id,
    );
    return [...holders.values()].flatMap((held) => {
      const [last] = held.toSorted((a, b) => b.by.startsAt - a.by.startsAt);
      return last === undefined ? [] : { alert: last.alert, by: last.by.annotations.title };
    });
  },
});

function firingAlerts(db: Kysely<Tables>, kinds: readonly string[] | undefined) {
  const firing = db.selectFrom('alert').where('ends_at', 'is', null);
  if (kinds === undefined) return firing;
  return kinds.length === 0 ? firing.where(sql<boolean>`false`) : firing.where('kind', 'in', kinds);
}

const keptColumns = ['id', 'body', 'group_key', 'due', 'held_by'] as const;

/** @returns the unit, and a function that notes what was stored of the record; call it last */
export function dispatchUnit(
  trx: Transaction<Tables>,
  ids: PlaceIds,
): DispatchUnit & { noteStored(): Promise<void> } {
  const alerts = new Set<string>();
  const predictions = new Map<string, Expectation>();
  return {
    hooks: hooks(trx, ids),
    calls: calls(trx, ids),
    noteStored: () => noteEntries(trx, [...alerts], [...predictions.keys()]),
    async findOpen(fingerprint) {
      const row = await trx
        .selectFrom('alert')
        .select(keptColumns)
        .where('fingerprint', '=', fingerprint)
        .where('ends_at', 'is', null)
        .executeTakeFirst();
      const [open] = readable(row === undefined ? [] : [row], keptAlertOf);
      if (row === undefined || open !== undefined) return open;
      alerts.add(row.id);
      // An alert that cannot be read cannot be continued: its episode ends, so that another may begin.
      await trx
        .updateTable('alert')
        .set((alert) => ({ ends_at: alert.ref('updated_at') }))
        .where('fingerprint', '=', fingerprint)
        .where('ends_at', 'is', null)
        .execute();
      return undefined;
    },
    async firing(kinds) {
      const rows = await firingAlerts(trx, kinds).select(keptColumns).execute();
      return readable(rows, keptAlertOf);
    },
    async heldBack(kind) {
      const held = firingAlerts(trx, [kind]).where('held_by', 'is not', null);
      return readable(await held.select(keptColumns).execute(), keptAlertOf);
    },
    async firingOrEndedSince(kinds, since) {
      const rows = await trx
        .selectFrom('alert')
        .select(keptColumns)
        .where('kind', 'in', kinds)
        .where((or) => or.or([or('ends_at', 'is', null), or('ends_at', '>=', since)]))
        .orderBy('updated_at', 'desc')
        .execute();
      return readable(rows, keptAlertOf);
    },
    async save(kept) {
      const { id, ...rest } = alertRow(kept);
      alerts.add(id);
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
          at: alert.updatedAt,
          urgent: isUrgent(alert) ? 1 : 0,
        })
        .execute();
      await chain(trx, { alert, prediction: predictions.get(alert.id) });
    },
    async followPrice(alert, judged) {
      predictions.set(alert.id, judged.prediction);
      await followPrice(trx, { ...alert, ...judged });
    },
    async isSaved(name, { state, now }) {
      const row = await trx.selectFrom('detector').selectAll().where('name', '=', name).executeTakeFirst();
      return row?.updated_at === now && row.state === JSON.stringify(state);
    },
    async saveState(name, { state, now }) {
      const values = { state: JSON.stringify(state), updated_at: now };
      await trx
        .insertInto('detector')
        .values({ name, ...values })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
        .execute();
    },
  };
}
