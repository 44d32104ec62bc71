import type { Kysely } from 'kysely';
import { receiverKey } from '../../alert/subscription.ts';
import type { CallStore, PlaceIds } from '../ports.ts';
import { receiverColumns, receiverOf } from '../rows.ts';
import type { Tables } from '../tables.ts';

export const calls = (db: Kysely<Tables>, ids: Pick<PlaceIds, 'newId'>): CallStore => ({
  async of(receiver, since = 0) {
    const rows = await db
      .selectFrom('price_call')
      .selectAll()
      .where('receiver', '=', receiverKey(receiver))
      .where('made_at', '>=', since)
      .orderBy('made_at')
      .execute();
    return rows.map((row) => ({
      id: row.id,
      receiver: receiverOf(row),
      symbol: row.symbol,
      side: row.side,
      horizon: row.horizon,
      at: row.made_at,
      createdBy: row.created_by,
      name: row.name,
    }));
  },
  async add(call) {
    const id = ids.newId();
    const { receiver, symbol, side, horizon, at, createdBy, name } = call;
    await db
      .insertInto('price_call')
      .values({
        id,
        ...receiverColumns(receiver),
        symbol,
        side,
        horizon,
        made_at: at,
        created_by: createdBy,
        name,
      })
      .execute();
    return { ...call, id };
  },
});
