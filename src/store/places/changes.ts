import { type Addresses, receiverKey } from '../../alert/subscription.ts';
import type { Database } from '../../database/database.ts';
import type { Text } from '../../language/text.ts';
import type { Changes, PlaceIds } from '../ports.ts';
import { deleteDeliveries } from '../record/log-deliveries.ts';
import { lockKeys } from '../state/lock-keys.ts';
import type { Tables } from '../tables.ts';
import { audit } from './audit.ts';
import { forget } from './forget.ts';
import { places } from './places.ts';
import { forgetPreferences } from './preferences.ts';

/** Changes that people make, with their audit log, and the deletion of what is stored about them when they ask for it. */
export const changes = ({ db, transaction }: Database<Tables>, ids: PlaceIds & Addresses): Changes => ({
  change: (author, work) =>
    transaction(async (trx) => {
      await lockKeys(trx, ids.accountOf(author.receiver));
      const done: Text[] = [];
      const within = {
        db: trx,
        transaction: <Result>(each: (own: typeof trx) => Promise<Result>) => each(trx),
      };
      const result = await work(places(within, ids), (what) => void done.push(what));
      for (const what of done) await audit(trx, { ...author, what });
      return result;
    }),
  audit: {
    async of(receiver, limit) {
      const rows = await db
        .selectFrom('audit')
        .select(['at', 'who', 'what'])
        .where('receiver', '=', receiverKey(receiver))
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ what, ...rest }) => ({ ...rest, what: JSON.parse(what) as Text }));
    },
  },
  forgetPlace: (receiver) =>
    transaction(async (trx) => {
      await lockKeys(trx, ids.accountOf(receiver));
      const key = receiverKey(receiver);
      const counts = await forget(trx, key);
      counts.delivery = await deleteDeliveries(trx, (rows) => rows.where('receiver', '=', key));
      const audits = await trx.deleteFrom('audit').where('receiver', '=', key).executeTakeFirst();
      counts.audit = Number(audits.numDeletedRows);
      const room = ids.roomOf(receiver);
      if (room !== undefined) {
        const { numDeletedRows } = await trx
          .deleteFrom('message')
          .where('room', '=', room)
          .executeTakeFirst();
        counts.message = Number(numDeletedRows);
      }
      return counts;
    }),
  forgetPerson: ({ receiver: { notifier }, who, person }) =>
    transaction(async (trx) => {
      let changed = 0n;
      for (const table of ['subscription', 'silence', 'rule', 'hook', 'living_board'] as const) {
        const { numUpdatedRows } = await trx
          .updateTable(table)
          .set({ created_by: forgotten })
          .where('notifier', '=', notifier)
          .where('created_by', '=', person ?? who)
          .executeTakeFirst();
        changed += numUpdatedRows;
      }
      // A name proves nothing: of a person whom the platform does not identify, all lines under that name are changed.
      const { numUpdatedRows } = await trx
        .updateTable('audit')
        .set({ who: forgotten, person: null })
        .where('notifier', '=', notifier)
        .where((where) => (person === null ? where('who', '=', who) : where('person', '=', person)))
        .executeTakeFirst();
      const { numDeletedRows } = await trx
        .deleteFrom('price_call')
        .where('notifier', '=', notifier)
        .where('created_by', '=', person ?? who)
        .executeTakeFirst();
      const deletedPreferences = person === null ? 0 : await forgetPreferences(trx, person);
      // Signed out. The proof stays known for a while, so that it begins no other session.
      if (person !== null)
        await trx
          .updateTable('web_session')
          .set((row) => ({ person: forgotten, name: forgotten, until_wall: row.ref('renewed_wall') }))
          .where('person', '=', person)
          .execute();
      return Number(changed + numUpdatedRows + numDeletedRows) + deletedPreferences;
    }),
});

const forgotten = 'someone (forgotten)';
