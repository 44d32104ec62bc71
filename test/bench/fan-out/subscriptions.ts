import { sql } from 'kysely';
import type { Receiver } from '#src/alert/subscription.ts';
import { openDatabase } from '#src/database/open.ts';
import { migrations } from '#src/store/migrations.ts';
import { matcherKey } from '#src/store/places/matchers.ts';
import { receiverColumns } from '#src/store/rows.ts';
import type { Tables } from '#src/store/tables.ts';

export const receiverOf = (index: number): Receiver => ({ notifier: 'discord', address: { channel: index } });

/** Rows of one statement, below SQLite's limit of 32,766 values. */
const page = 1_000;

/** Writes subscriptions of `count` receivers in bulk, as the store would. `symbolsOf` returns null for every symbol. */
export async function subscribe(
  url: string,
  count: number,
  symbolsOf: (index: number) => readonly string[] | null,
): Promise<void> {
  const { db, dialect, transaction, close } = await openDatabase<Tables>(url, { migrations });
  const textsOf = (index: number) => ({
    kinds: '["*"]',
    symbols: JSON.stringify(symbolsOf(index) ?? ['*']),
    min_severity: 'info',
  });
  await transaction(async (trx) => {
    const wanted = new Map<string, ReturnType<typeof textsOf> & { key: string; wanted: number }>();
    for (let index = 0; index < count; index += 1) {
      const texts = textsOf(index);
      const key = matcherKey(texts);
      wanted.set(key, { ...texts, key, wanted: (wanted.get(key)?.wanted ?? 0) + 1 });
    }
    const ids = new Map<string, Tables['subscription']['matcher']>();
    for (const matcher of wanted.values()) {
      const { id } = await trx
        .insertInto('matcher')
        .values(matcher)
        .returning('id')
        .executeTakeFirstOrThrow();
      ids.set(matcher.key, id);
    }
    for (let begin = 0; begin < count; begin += page) {
      const rows = Array.from({ length: Math.min(page, count - begin) }, (_, offset) => {
        const index = begin + offset;
        const texts = textsOf(index);
        return {
          id: `s${index}`,
          ...receiverColumns(receiverOf(index)),
          ...texts,
          matcher: ids.get(matcherKey(texts)) ?? null,
          quiet_hours: null,
          created_by: 'bench',
          created_at: 0,
        };
      });
      await trx.insertInto('subscription').values(rows).execute();
    }
  });
  // A server does this by itself within a minute.
  if (dialect === 'postgres') await sql`analyze subscription, matcher`.execute(db);
  await close();
}
