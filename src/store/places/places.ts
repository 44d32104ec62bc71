import { receiverKey } from '../../alert/subscription.ts';
import type { Database } from '../../database/database.ts';
import type { PlaceIds, PlaceStore, Store } from '../ports.ts';
import { receiverColumns, silenceOf } from '../rows.ts';
import { pauseSetting, settings } from '../state/settings.ts';
import type { Tables } from '../tables.ts';
import { boards } from './boards.ts';
import { calls } from './calls.ts';
import { hooks } from './hooks.ts';
import { removeOwn } from './own-things.ts';
import { preferences } from './preferences.ts';
import { rules } from './rules.ts';
import { subscriptions } from './subscriptions.ts';
import { setWatchlist } from './watchlists.ts';

/** Stores what belongs to receivers, and what the operator decides for all of them. */
export const places = (
  { db, transaction }: Pick<Database<Tables>, 'db' | 'transaction'>,
  ids: PlaceIds,
): Pick<Store, keyof PlaceStore> => ({
  subscriptions: subscriptions({ db, transaction }, ids),
  silences: {
    async add(silence) {
      const id = ids.newId();
      await db
        .insertInto('silence')
        .values({
          id,
          ...receiverColumns(silence.receiver),
          kinds: JSON.stringify(silence.kinds),
          symbols: JSON.stringify(silence.symbols),
          starts_at: silence.startsAt,
          ends_at: silence.endsAt,
          created_by: silence.createdBy,
        })
        .execute();
      return { ...silence, id };
    },
    remove: (id, receiver) => removeOwn(db, { table: 'silence', id, receiver }),
    async of(receiver, now) {
      const rows = await db
        .selectFrom('silence')
        .selectAll()
        .where('ends_at', '>', now)
        .where('receiver', '=', receiverKey(receiver))
        .orderBy('starts_at')
        .execute();
      return rows.map(silenceOf);
    },
  },
  rules: rules(db, ids),
  hooks: hooks(db, ids),
  boards: boards(db, ids),
  calls: calls(db, ids),
  watchlist: {
    async of(receiver) {
      const row = await db
        .selectFrom('watchlist')
        .select('symbols')
        .where('receiver', '=', receiverKey(receiver))
        .executeTakeFirst();
      return row === undefined ? [] : (JSON.parse(row.symbols) as string[]);
    },
    async fileOf(receiver) {
      const row = await db
        .selectFrom('watchlist')
        .select('file')
        .where('receiver', '=', receiverKey(receiver))
        .executeTakeFirst();
      return row?.file ?? undefined;
    },
    set: (receiver, symbols) => transaction((trx) => setWatchlist(trx, { receiver, symbols })),
  },
  preferences: preferences(db),
  sending: {
    async paused() {
      const kept = await settings(db).get(pauseSetting);
      return kept === undefined ? null : JSON.parse(kept);
    },
    pause: (pause) => settings(db).put(pauseSetting, JSON.stringify(pause)),
    async resume() {
      await db.deleteFrom('setting').where('name', '=', pauseSetting).execute();
    },
  },
});
