import type { Kysely, Selectable } from 'kysely';
import type { LivingBoard } from '../../alert/living-board.ts';
import { receiverKey } from '../../alert/subscription.ts';
import type { BoardLog, BoardStore, KeptBoard, PlaceIds } from '../ports.ts';
import { readable, receiverColumns, receiverOf } from '../rows.ts';
import { isNotPaused } from '../state/settings.ts';
import type { Tables } from '../tables.ts';
import { countOfAccount } from './own-things.ts';

/** What places want to be kept current. */
export const boards = (db: Kysely<Tables>, { newId, accountOf }: PlaceIds): BoardStore => ({
  async of(receiver) {
    const rows = await db
      .selectFrom('living_board')
      .selectAll()
      .where('receiver', '=', receiverKey(receiver))
      .where('ended', '=', 0)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return readable(rows, (row) => keptOf(row).board);
  },
  countOfAccount: (receiver) => countOfAccount(db, { table: 'living_board', account: accountOf(receiver) }),
  async add({ receiver, line, form, daily, createdBy, createdAt }) {
    const id = newId();
    await db
      .insertInto('living_board')
      .values({
        id,
        ...receiverColumns(receiver),
        account: accountOf(receiver),
        line,
        form,
        daily: daily === null ? null : JSON.stringify(daily),
        created_by: createdBy,
        created_at: createdAt,
      })
      .execute();
    return { id, receiver, line, form, daily, createdBy, createdAt };
  },
  async end(id, receiver) {
    const { numUpdatedRows } = await db
      .updateTable('living_board')
      .set({ ended: 1 })
      .where('id', '=', id)
      .where('receiver', '=', receiverKey(receiver))
      .where('ended', '=', 0)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  },
});

/** What became of boards' messages: written by whoever delivers to their platform. */
export const boardLog = (
  transaction: <Result>(work: (db: Kysely<Tables>) => Promise<Result>) => Promise<Result>,
): BoardLog => ({
  all: (notifier) =>
    transaction(async (db) => {
      const rows = await db
        .selectFrom('living_board')
        .selectAll()
        .where('notifier', '=', notifier)
        .where(isNotPaused)
        .where('receiver', 'not in', db.selectFrom('rest').select('rest.receiver'))
        .orderBy('id')
        .execute();
      return readable(rows, keptOf);
    }),
  keep: (id, { turn, begun, reference, shown, pinned, renewedAt, due }) =>
    transaction(async (db) => {
      const { numUpdatedRows } = await db
        .updateTable('living_board')
        .set({
          turn,
          begun: begun ? 1 : 0,
          reference,
          shown,
          pinned: pinned ? 1 : 0,
          renewed_at: renewedAt,
          due,
        })
        .where('id', '=', id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    }),
  remove: (id) =>
    transaction(async (db) => void (await db.deleteFrom('living_board').where('id', '=', id).execute())),
});

const keptOf = (row: Selectable<Tables['living_board']>): KeptBoard => ({
  board: {
    id: row.id,
    receiver: receiverOf(row),
    line: row.line,
    form: row.form as LivingBoard['form'],
    daily: row.daily === null ? null : JSON.parse(row.daily),
    createdBy: row.created_by,
    createdAt: row.created_at,
  },
  post: {
    turn: row.turn,
    begun: row.begun === 1,
    reference: row.reference,
    shown: row.shown,
    pinned: row.pinned === 1,
    renewedAt: row.renewed_at,
    due: row.due,
    ended: row.ended === 1,
  },
});
