import type { Transaction } from 'kysely';
import type { Alert } from '../../alert/alert.ts';
import { sumsOf } from '../../alert/ledger.ts';
import { type Expectation, horizons } from '../../alert/outcome.ts';
import type { Statement } from '../../database/at-once.ts';
import type { Database } from '../../database/database.ts';
import type { OutcomeLog, PricePrediction } from '../../record/outcome-log.ts';
import type { Claim } from '../ports.ts';
import type { Tables } from '../tables.ts';
import { note } from './chain.ts';
import { noteEntries } from './record-rows.ts';

/** The columns of the prices, in the order of their times after the alert fired. */
const columns = ['price', 'after_1h', 'after_4h', 'after_24h'] as const;
const offsets = [0, ...horizons];

/** Rows of one statement: SQLite takes at most 32,766 values. */
const atOnce = 500;

/** Notes that prices after an alert are to be recorded. An alert that is dispatched again after a crash is noted once. */
export async function followPrice(
  trx: Transaction<Tables>,
  { id, labels, startsAt, market, symbol, prediction }: Alert & PricePrediction,
): Promise<void> {
  await trx
    .insertInto('outcome')
    .values({
      alert_id: id,
      market,
      kind: labels.kind,
      symbol,
      prediction,
      fired_at: startsAt,
      due: startsAt,
    })
    .onConflict((conflict) => conflict.column('alert_id').doNothing())
    .execute();
}

/**
 * Marks the alerts of these messages as posted, and notes it, in as many statements for the whole batch: in a broadcast they are one alert.
 */
export function markPosted(
  trx: Transaction<Tables>,
  sent: readonly { readonly claim: Claim }[],
): Statement[] {
  const sentIds = new Set(
    sent.flatMap(({ claim }) => {
      const shown = new Set(claim.alerts.map(({ id }) => id));
      return claim.rows.flatMap(({ alertId }) => (shown.has(alertId) ? [alertId] : []));
    }),
  );
  if (sentIds.size === 0) return [];
  const ofThem = trx.updateTable('outcome').where('alert_id', 'in', [...sentIds]);
  return [ofThem.set({ posted: 1 }).where('posted', '=', 0), note(trx, { posted: [...sentIds] })];
}

export const outcomes = ({ db, transaction }: Database<Tables>): OutcomeLog => ({
  async due(market, { now, limit }) {
    const rows = await db
      .selectFrom('outcome')
      .select(['alert_id', 'symbol', 'fired_at', 'due'])
      .where('market', '=', market)
      .where('due', '<=', now)
      .orderBy('due')
      .limit(limit)
      .execute();
    return rows.flatMap(({ alert_id, symbol, fired_at, due: at }) =>
      at === null ? [] : [{ alertId: alert_id, symbol, at, priceIndex: offsets.indexOf(at - fired_at) }],
    );
  },
  keep: (seen) =>
    transaction(async (trx) => {
      for (const { look, price, estimated } of seen) {
        const column = columns[look.priceIndex];
        const next = offsets[look.priceIndex + 1];
        if (column === undefined) continue;
        await trx
          .updateTable('outcome')
          .set({
            [column]: price,
            due: next === undefined ? null : look.at - (offsets[look.priceIndex] ?? 0) + next,
            ...(estimated && { estimated: 1 }),
          })
          .where('alert_id', '=', look.alertId)
          .where('due', '=', look.at)
          .execute();
      }
      await noteEntries(
        trx,
        undefined,
        seen.map(({ look }) => look.alertId),
      );
    }),
  async posted(market, { kind, symbol } = {}) {
    const rows = await db
      .selectFrom('outcome')
      .selectAll()
      .where('market', '=', market)
      .where('posted', '=', 1)
      .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? ''))
      .$if(symbol !== undefined, (query) => query.where('symbol', '=', symbol ?? ''))
      .orderBy('fired_at')
      .execute();
    return rows.map((row) => ({
      kind: row.kind,
      symbol: row.symbol,
      prediction: row.prediction as Expectation,
      firedAt: row.fired_at,
      price: row.price,
      after: [row.after_1h, row.after_4h, row.after_24h],
      estimated: row.estimated === 1,
    }));
  },
  async called(since) {
    const calls = db.selectFrom('price_call').select('symbol').distinct();
    return (await calls.where('made_at', '>=', since).execute()).map(({ symbol }) => symbol);
  },
  async addPrices(market, prices) {
    for (let from = 0; from < prices.length; from += atOnce) {
      const rows = prices
        .slice(from, from + atOnce)
        .map(({ symbol, at, price }) => ({ market, symbol, at, price }));
      await transaction(async (trx) => {
        const added = await trx
          .insertInto('hourly_price')
          .values(rows)
          .onConflict((conflict) => conflict.columns(['market', 'symbol', 'at']).doNothing())
          .returningAll()
          .execute();
        if (added.length > 0) await note(trx, sumsOf('hourly_price', added)).execute();
      });
    }
  },
  prices: (market, { symbol, since }) =>
    db
      .selectFrom('hourly_price')
      .select(['at', 'price'])
      .where('market', '=', market)
      .where('symbol', '=', symbol)
      .where('at', '>=', since)
      .orderBy('at')
      .execute(),
});
