import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { claimed } from './claim.ts';
import { foldOver, messageOf } from './fold.ts';
import { endLagging } from './lagging.ts';
import { pauseSetting } from './places.ts';
import { settle } from './settle.ts';
import type { RowId, Store } from './store.ts';
import { outboxState, type Tables } from './tables.ts';
import { endUnserved } from './unserved.ts';

// `+state` in a query by receivers: without the sign SQLite takes the index of states and walks every ready row.

/** Rows made ready in one statement: more would block the event loop on SQLite. */
const promotedAtOnce = 2_000;

export const outbox = ({ db, dialect, transaction }: Database<Tables>): Store['outbox'] => ({
  async promote(now, wall) {
    const { waiting, ready, sending } = outboxState;
    const due = await db
      .selectFrom('outbox')
      .select('id')
      .where('state', '=', waiting)
      .where('due', '<=', now)
      .limit(promotedAtOnce)
      .execute();
    await inChunks(due, (ids) =>
      db.updateTable('outbox').set({ state: ready }).where('id', 'in', ids).execute(),
    );
    await db
      .updateTable('outbox')
      .set({ state: ready })
      .where('state', '=', sending)
      .where('lease_wall', '<=', wall)
      .execute();
    await db.deleteFrom('hold').where('until_wall', '<=', wall).execute();
  },

  claim: ({ notifiers, count, now, wall, lease }) =>
    transaction(async (trx) => {
      const { ready, sending } = outboxState;
      let candidates = trx
        .selectFrom('outbox')
        .select(['id', 'receiver', 'group_key', 'replaced'])
        .where('state', '=', ready)
        .where('notifier', 'in', notifiers)
        // One post at a time per receiver, whichever process sends it: this is what keeps its order.
        .where(
          sql<boolean>`not exists (select 1 from outbox as other where other.receiver = outbox.receiver and +other.state = ${sending})`,
        )
        .where(sql<boolean>`not exists (select 1 from hold where hold.receiver = outbox.receiver)`)
        .where(notHeld)
        .where(sql<boolean>`not exists (select 1 from rest where rest.receiver = outbox.receiver)`)
        .where(sql<boolean>`not exists (select 1 from setting where setting.name = ${pauseSetting})`)
        .orderBy('urgent', 'desc')
        .orderBy('id')
        .limit(count * 4);
      if (dialect === 'postgres') candidates = candidates.forUpdate().skipLocked();
      const found = await candidates.execute();
      const receivers = [...new Set(found.map(({ receiver }) => receiver))].slice(0, count);
      if (receivers.length === 0) return [];
      const rows = await trx
        .selectFrom('outbox')
        .selectAll()
        .where(sql`+state`, '=', ready)
        .where('receiver', 'in', receivers)
        .where(notHeld)
        .orderBy('id')
        .execute();
      const groups = turnsOf(rows);
      const folded = await foldOver(trx, rows, groups, now);
      const taken = folded.filter((row) => groups.get(row.receiver) === messageOf(row));
      await inChunks(taken, (ids) =>
        trx
          .updateTable('outbox')
          .set((row) => ({ state: sending, fence: row('fence', '+', 1), lease_wall: wall + lease }))
          .where('id', 'in', ids)
          .execute(),
      );
      return claimed(trx, taken, now);
    }),

  settle: (settlements) => transaction((trx) => settle(trx, settlements, dialect)),

  async release(notifier) {
    await db.deleteFrom('hold').where('outage', '=', notifier).execute();
  },

  recover: () =>
    transaction(async (trx) => {
      const { begun } = await trx
        .selectFrom('outbox')
        .select(sql<number>`count(*)`.as('begun'))
        .where('state', '=', outboxState.sending)
        .where('doubt', '>', 0)
        .executeTakeFirstOrThrow();
      await trx
        .updateTable('outbox')
        .set({ state: outboxState.ready })
        .where('state', '=', outboxState.sending)
        .execute();
      return Number(begun);
    }),

  endLagging: (now) => transaction((trx) => endLagging(trx, now)),

  endUnserved: (notifiers, before, now) => transaction((trx) => endUnserved(trx, { notifiers, before, now })),

  backlog: () => backlog(db),
});

/** By a failure of its own, of which the receiver's other messages know nothing. */
const notHeld = sql<boolean>`not exists (select 1 from hold where hold.receiver = outbox.receiver || '\n' || outbox.group_key || coalesce('\n' || outbox.replaced, ''))`;

/**
 * Whose turn it is, by receiver: what is urgent, then what is new, then what brings a message up to date. Edits notify
 * nobody, and must not keep what does.
 */
function turnsOf(rows: readonly Selectable<Tables['outbox']>[]): Map<string, string> {
  const rank = ({ urgent, replaced, revision }: (typeof rows)[number]) =>
    urgent === 1 ? 0 : replaced === null && revision === 1 ? 1 : 2;
  const turns = new Map<string, (typeof rows)[number]>();
  for (const row of rows) {
    const first = turns.get(row.receiver);
    if (first === undefined || rank(row) < rank(first)) turns.set(row.receiver, row);
  }
  return new Map([...turns].map(([receiver, row]) => [receiver, messageOf(row)]));
}

/** What waits for a place that rests is not late. */
async function backlog(db: Kysely<Tables>) {
  const row = await db
    .selectFrom('outbox')
    .select([sql<number>`count(*)`.as('waiting'), sql<number | null>`min(due)`.as('oldest')])
    .where('receiver', 'not in', (rest) => rest.selectFrom('rest').select('rest.receiver'))
    .executeTakeFirstOrThrow();
  return { waiting: Number(row.waiting), oldest: row.oldest === null ? null : Number(row.oldest) };
}

/** Few different statement lengths, so that they stay prepared, and none over a database's limit. */
const chunk = 500;

async function inChunks(
  rows: readonly { readonly id: RowId }[],
  work: (ids: RowId[]) => Promise<unknown>,
): Promise<void> {
  for (let start = 0; start < rows.length; start += chunk) {
    await work(rows.slice(start, start + chunk).map(({ id }) => id));
  }
}
