import type { Kysely } from 'kysely';
import type { Alert } from '../../alert/alert.ts';
import { type Receiver, receiverKey } from '../../alert/subscription.ts';
import type { AlertLog, LoggedAlert } from '../ports.ts';
import { alertOf, deliveryOf, readable } from '../rows.ts';
import type { Tables } from '../tables.ts';

/** How many of the newest deliveries are looked at for alerts whose post has come to something. */
const maxDeliveries = 2_000;
/** How many deliveries after an alert's beginning are looked at for its own: there is no index over alerts. */
const soon = 2_000;

export const alertLog = (db: Kysely<Tables>): AlertLog => {
  const visibleTo = (receiver: Receiver) =>
    db
      .selectFrom('alert')
      .select(['alert.body', 'alert.held_by', 'alert.updated_at'])
      .where((or) =>
        or.or([or('alert.only_for', 'is', null), or('alert.only_for', '=', receiverKey(receiver))]),
      );

  /**
   * Adds to each alert the broader alert that holds it back: the latest episode of that fingerprint that had begun by then.
   */
  async function withHolders(
    rows: readonly { readonly body: string; readonly held_by: string | null }[],
  ): Promise<LoggedAlert[]> {
    const fingerprints = [...new Set(rows.flatMap(({ held_by }) => held_by ?? []))];
    const holders =
      fingerprints.length === 0
        ? []
        : readable(
            await db
              .selectFrom('alert')
              .select('body')
              .where('fingerprint', 'in', fingerprints)
              .orderBy('updated_at', 'desc')
              .limit(4 * fingerprints.length)
              .execute(),
            ({ body }) => alertOf(body),
          );
    return readable(rows, ({ body, held_by }) => {
      const alert = alertOf(body);
      const heldBy = holders
        .filter(({ fingerprint, startsAt }) => fingerprint === held_by && startsAt <= alert.updatedAt)
        .sort((a, b) => b.startsAt - a.startsAt)[0];
      return { alert, heldBy };
    });
  }

  return {
    async page({ receiver, before, limit, firing = false, kind }) {
      const rows = await visibleTo(receiver)
        .$if(firing, (query) => query.where('alert.ends_at', 'is', null))
        .$if(kind !== undefined, (query) => query.where('alert.kind', '=', kind ?? ''))
        .$if(before !== undefined, (query) =>
          query.where((or) => {
            const { updatedAt = 0, id = '' } = before ?? {};
            return or.or([
              or('alert.updated_at', '<', updatedAt),
              or.and([or('alert.updated_at', '=', updatedAt), or('alert.id', '<', id)]),
            ]);
          }),
        )
        .orderBy('alert.updated_at', 'desc')
        .orderBy('alert.id', 'desc')
        .limit(limit)
        .execute();
      return withHolders(rows);
    },
    async changed({ receiver, since, limit }) {
      const fresh = await visibleTo(receiver)
        .where('alert.updated_at', '>=', since)
        .orderBy('alert.updated_at', 'desc')
        .limit(limit)
        .execute();
      // What becomes of a post is known after its group's wait, long after the alert's last change.
      const told = await db
        .selectFrom('delivery')
        .select('alert_id')
        .where('at', '>=', since)
        .orderBy('at', 'desc')
        .limit(maxDeliveries)
        .execute();
      const ids = [...new Set(told.map(({ alert_id }) => alert_id))].slice(0, limit);
      // A query of its own: an OR of the two would let SQLite read all alerts in their order.
      const posted = await visibleTo(receiver)
        .where('alert.id', 'in', ids)
        .where('alert.updated_at', '<', since)
        .orderBy('alert.updated_at', 'desc')
        .limit(limit)
        .execute();
      return withHolders([...fresh, ...posted].slice(0, limit).reverse());
    },
    async one(id, receiver) {
      const rows = await visibleTo(receiver).where('alert.id', '=', id).execute();
      return (await withHolders(rows))[0];
    },
    async deliveries(alerts, limit) {
      if (alerts.length === 0) return [];
      const rows = await db
        .selectFrom('delivery')
        .selectAll()
        .where(
          'alert_id',
          'in',
          alerts.map(({ id }) => id),
        )
        // This condition lets the index over time be used: there is none over alerts.
        .where('at', '>=', Math.min(...alerts.map(({ startsAt }) => startsAt)))
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(deliveryOf);
    },
    async sentSoon(alerts) {
      const sent: string[] = [];
      for (const alert of alerts) if (await isSentSoon(db, alert)) sent.push(alert.id);
      return sent;
    },
  };
};

async function isSentSoon(
  db: Kysely<Tables>,
  { id, startsAt }: Pick<Alert, 'id' | 'startsAt'>,
): Promise<boolean> {
  const first = db
    .selectFrom('delivery')
    .select(['alert_id', 'outcome'])
    .where('at', '>=', startsAt)
    .orderBy('at')
    .limit(soon);
  const row = await db
    .selectFrom(first.as('first'))
    .select('alert_id')
    .where('alert_id', '=', id)
    .where('outcome', 'in', ['sent', 'edited'])
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
