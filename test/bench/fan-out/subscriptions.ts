import type { Receiver } from '#src/alert/subscription.ts';
import { openDatabase } from '#src/database/open.ts';
import { receiverColumns } from '#src/store/rows.ts';
import { migrations, type Tables } from '#src/store/tables.ts';

export const receiverOf = (index: number): Receiver => ({ notifier: 'discord', address: { channel: index } });

/** Rows of one statement: below SQLite's limit of 32,766 values. */
const page = 1_000;

/** Writes subscriptions of as many receivers as the store would, in bulk. `symbolsOf` null: every symbol. */
export async function subscribe(
  url: string,
  count: number,
  symbolsOf: (index: number) => readonly string[] | null,
): Promise<void> {
  const { transaction, close } = await openDatabase<Tables>(url, { migrations });
  await transaction(async (trx) => {
    for (let begin = 0; begin < count; begin += page) {
      const rows = Array.from({ length: Math.min(page, count - begin) }, (_, offset) => {
        const index = begin + offset;
        return {
          id: `s${index}`,
          ...receiverColumns(receiverOf(index)),
          kinds: '["*"]',
          symbols: JSON.stringify(symbolsOf(index) ?? ['*']),
          min_severity: 'info',
          quiet_hours: null,
          created_by: 'bench',
          created_at: 0,
        };
      });
      await trx.insertInto('subscription').values(rows).execute();
    }
  });
  await close();
}
