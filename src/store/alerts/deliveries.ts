import type { Kysely } from 'kysely';
import type { Reason } from '../../alert/reason.ts';
import { receiverKey } from '../../alert/subscription.ts';
import { msg } from '../../language/text.ts';
import type { AllDeliveries, DeliveryPlace, RowId } from '../ports.ts';
import { alertOf, deliveryOf, readable, reasonOf, receiverOf } from '../rows.ts';
import { pauseSetting, settings } from '../state/settings.ts';
import type { Tables } from '../tables.ts';

const pausedByOperator: Reason = { code: 'paused', text: msg('sending is paused by the operator') };

/** The log of deliveries, and what still waits. */
export const deliveries = (db: Kysely<Tables>): AllDeliveries => ({
  async recent(receiver, limit) {
    const rows = await db
      .selectFrom('delivery')
      .leftJoin('alert', 'alert.id', 'delivery.alert_id')
      .selectAll('delivery')
      .select('alert.body')
      .where('delivery.receiver', '=', receiverKey(receiver))
      .orderBy('delivery.at', 'desc')
      .orderBy('delivery.id', 'desc')
      .limit(limit)
      .execute();
    return rows.map(({ body, ...row }) => {
      const [alert] = readable(body === null ? [] : [body], alertOf);
      return { ...deliveryOf(row), ...(alert !== undefined && { alert }) };
    });
  },
  async page(receiver, { before, limit }) {
    const rows = await db
      .selectFrom('delivery')
      .selectAll()
      .where('receiver', '=', receiverKey(receiver))
      .$if(before !== undefined, (query) =>
        query.where((or) => {
          const { at = 0, id = '0' } = before ?? {};
          return or.or([or('at', '<', at), or.and([or('at', '=', at), or('id', '<', rowId(id))])]);
        }),
      )
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.map((row) => ({ ...deliveryOf(row), id: String(row.id) }));
  },
  places: (given) => placesOf(db, given),
  async missed(receiver, { since, limit }) {
    const rows = await db
      .selectFrom('delivery')
      .selectAll()
      .where('receiver', '=', receiverKey(receiver))
      .where('outcome', 'in', ['suppressed', 'failed'])
      .where('at', '>=', since)
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.map(deliveryOf);
  },
  async waiting(receiver, limit) {
    const paused = (await settings(db).get(pauseSetting)) !== undefined;
    const rows = await db
      .selectFrom('outbox')
      .innerJoin('alert', 'alert.id', 'outbox.alert_id')
      .select(['outbox.alert_id', 'outbox.due', 'outbox.reason', 'alert.body'])
      .where('outbox.receiver', '=', receiverKey(receiver))
      .where('outbox.replaced', 'is', null)
      .orderBy('outbox.due')
      .limit(limit)
      .execute();
    return readable(rows, ({ alert_id, due, reason, body }) => {
      const { labels, annotations } = alertOf(body);
      return {
        alertId: alert_id,
        labels,
        title: annotations.title,
        due,
        reason: paused ? pausedByOperator : reasonOf(reason),
      };
    });
  },
  async latest(limit) {
    const rows = await db
      .selectFrom('delivery')
      .selectAll()
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.map(deliveryOf);
  },
});

/** Reads a row id. Distributed databases give ids above the largest safe integer of a number. */
const rowId = (text: string): RowId => {
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : BigInt(text);
};

async function placesOf(
  db: Kysely<Tables>,
  { since, limit }: Parameters<AllDeliveries['places']>[0],
): Promise<DeliveryPlace[]> {
  const rows = await db
    .selectFrom('subscription')
    .select(['receiver', 'notifier', 'address', (all) => all.fn.max('seq').as('newest')])
    .groupBy(['receiver', 'notifier', 'address'])
    .orderBy('newest', 'desc')
    .limit(limit)
    .execute();
  if (rows.length === 0) return [];
  const counted = await db
    .selectFrom('delivery')
    .select(['receiver', 'outcome', (all) => all.fn.countAll().as('n'), (all) => all.fn.max('at').as('last')])
    .where(
      'receiver',
      'in',
      rows.map(({ receiver }) => receiver),
    )
    .where('at', '>=', since)
    .groupBy(['receiver', 'outcome'])
    .execute();
  return rows.map((row) => {
    const own = counted.filter(({ receiver }) => receiver === row.receiver);
    const of = (outcome: string) => own.find((each) => each.outcome === outcome);
    const last = Math.max(...['sent', 'edited'].map((outcome) => Number(of(outcome)?.last ?? 0)));
    return {
      receiver: receiverOf(row),
      last: last === 0 ? null : last,
      sent: Number(of('sent')?.n ?? 0),
      failed: Number(of('failed')?.n ?? 0),
    };
  });
}
