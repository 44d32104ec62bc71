import type { Expression, ExpressionBuilder, Insertable, SqlBool, Transaction } from 'kysely';
import { sumsOf } from '../../alert/ledger.ts';
import { atOnce, type Statement } from '../../database/at-once.ts';
import type { Tables } from '../tables.ts';
import { note } from './chain.ts';

type Row = Omit<Insertable<Tables['delivery']>, 'id'>;

/** Returns the statements that add rows to the delivery log, and note them for the chain. */
export function logged(trx: Transaction<Tables>, rows: readonly Row[]): Statement[] {
  if (rows.length === 0) return [];
  const whole = rows.map((row) => ({ interrupts: 0, ...row }));
  return [trx.insertInto('delivery').values(whole), note(trx, sumsOf('delivery', whole))];
}

export const logDeliveries = (trx: Transaction<Tables>, rows: readonly Row[]): Promise<unknown> =>
  atOnce(trx, logged(trx, rows));

/** Deletes rows of the delivery log that `which` selects, and notes it. Returns how many. */
export async function deleteDeliveries(
  trx: Transaction<Tables>,
  which: (rows: ReturnType<typeof deliveriesIn>) => ReturnType<typeof deliveriesIn>,
): Promise<number> {
  const rows = await which(deliveriesIn(trx)).returningAll().execute();
  if (rows.length > 0) await note(trx, sumsOf('delivery', [], rows)).execute();
  return rows.length;
}

const deliveriesIn = (trx: Transaction<Tables>) => trx.deleteFrom('delivery');

/** Writes other values into the rows of the delivery log that `which` selects, and notes it. */
export async function changeDeliveries(
  trx: Transaction<Tables>,
  which: (row: ExpressionBuilder<Tables, 'delivery'>) => Expression<SqlBool>,
  columns: Partial<Pick<Row, 'receiver' | 'notifier' | 'address' | 'at'>>,
): Promise<void> {
  const rows = await trx.selectFrom('delivery').selectAll().where(which).execute();
  if (rows.length === 0) return;
  await trx.updateTable('delivery').set(columns).where(which).execute();
  const changed = rows.map((row) => ({ ...row, ...columns }));
  await note(trx, sumsOf('delivery', changed, rows)).execute();
}
