import { sql, type Transaction } from 'kysely';
import type { Database } from '../database/database.ts';
import { begunOf, begunText } from './begun.ts';
import { clock } from './leases.ts';
import type { Begun } from './store.ts';
import type { Tables } from './tables.ts';

/** Receivers of one statement. */
const atOnce = 500;

/**
 * All that waits, in the outbox or on its way there, may have been sent since by whoever went on from what is a backup
 * here: it is treated as a post that a killed process had begun. Returns how many posts there are in the outbox.
 */
export const doubtAll = ({ transaction }: Database<Tables>): Promise<number> =>
  transaction(async (trx) => {
    await trx.updateTable('dispatch').set({ doubtful: 1 }).execute();
    let posts = 0;
    for (let last: string | undefined = ''; last !== undefined; ) {
      const page = await trx
        .selectFrom('queue')
        .select('receiver')
        .where('receiver', '>', last)
        .orderBy('receiver')
        .limit(atOnce)
        .execute();
      posts += await doubt(trx, { receivers: page.map(({ receiver }) => receiver) });
      last = page.at(-1)?.receiver;
    }
    return posts;
  });

/**
 * What waits for these receivers may stand already; of one alert alone where it is named. Where it is found it shows at
 * least the first revision that waits, and is brought up to date with the others. Returns of how many posts.
 */
export async function doubt(
  trx: Transaction<Tables>,
  { receivers, alertId }: { readonly receivers: readonly string[]; readonly alertId?: string | undefined },
): Promise<number> {
  if (receivers.length === 0) return 0;
  let waiting = trx
    .selectFrom('outbox')
    .select(['receiver', 'group_key', 'alert_id', sql<number>`min(revision)`.as('revision')])
    .where('receiver', 'in', receivers)
    .where('replaced', 'is', null);
  if (alertId !== undefined) waiting = waiting.where('alert_id', '=', alertId);
  const rows = await waiting.groupBy(['receiver', 'group_key', 'alert_id']).orderBy('alert_id').execute();
  const queued = await trx
    .selectFrom('queue')
    .select(['receiver', 'begun'])
    .where('receiver', 'in', receivers)
    .execute();
  const begunAt = new Map(queued.map(({ receiver, begun }) => [receiver, begunOf(begun)]));
  const texts: { readonly receiver: string; readonly begun: string | null }[] = [];
  let posts = 0;
  for (const [receiver, own] of Map.groupBy(rows, (row) => row.receiver)) {
    const before = begunAt.get(receiver) ?? [];
    const all = withDoubts(before, own);
    posts += all.length - before.length;
    texts.push({ receiver, begun: begunText(all) });
  }
  // Of a broadcast all wait for the same: one statement.
  for (const [begun, alike] of Map.groupBy(texts, (text) => text.begun)) {
    const keys = alike.map(({ receiver }) => receiver);
    await trx.updateTable('queue').set({ begun }).where('receiver', 'in', keys).execute();
  }
  return posts;
}

function withDoubts(
  before: readonly Begun[],
  rows: readonly { readonly group_key: string; readonly alert_id: string; readonly revision: number }[],
): readonly Begun[] {
  const byGroup = new Map(before.map((each) => [each.group, each]));
  for (const { group_key: group, alert_id, revision } of rows) {
    const { shown = {}, unknown = false } = byGroup.get(group) ?? {};
    byGroup.set(group, { group, shown: { [alert_id]: revision, ...shown }, unknown });
  }
  return [...byGroup.values()];
}

/** Who has a role on a database that several processes share: it is in use. */
export async function inUseBy({ db, dialect }: Database<Tables>): Promise<string | undefined> {
  const row = await db
    .selectFrom('lease')
    .select('owner')
    .where('until', '>', clock(dialect))
    .limit(1)
    .executeTakeFirst();
  return row?.owner;
}
