import { setImmediate } from 'node:timers/promises';
import { type Insertable, type Kysely, sql, type Transaction } from 'kysely';
import { receiverOfKey } from '../../alert/subscription.ts';
import { atOnce, type Statement } from '../../database/at-once.ts';
import type { Dialect } from '../../database/database.ts';
import type { Queued, RowId } from '../ports.ts';
import { isNotPaused } from '../state/settings.ts';
import type { Tables } from '../tables.ts';

/** The turn (market ms) of a receiver that waits until it is woken explicitly. */
export const never = Number.MAX_SAFE_INTEGER;

const urgencies = [2, 1, 0] as const;

/** Returns the urgency of a row of the outbox: see `queue.urgency`. */
const urgencyOf = (row: {
  readonly urgent: number;
  readonly revision: number;
  readonly replaced?: string | null | undefined;
}): number => (row.urgent === 1 ? 2 : (row.replaced ?? null) === null && row.revision === 1 ? 1 : 0);

/** Number of receivers read in each further statement, if `fits` has refused some of those before them. */
const furtherAtOnce = 256;

/**
 * Returns the receivers whose turn it is, the most urgent first, and of equally urgent ones those that have waited longest.
 * Of each urgency the index is read from its beginning until `count` are found. Usually nothing waits, which one statement
 * shows.
 */
export async function next(
  db: Kysely<Tables>,
  { count, fits, ...whose }: Waiting & { readonly count: number; readonly fits: (queued: Queued) => boolean },
): Promise<Queued[]> {
  const found: Queued[] = [];
  const limit = Math.max(32, 2 * count);
  const queries = urgencies.map(
    (urgency) => sql`select * from (${waiting({ ...whose, urgency, limit })}) as of_its_urgency`,
  );
  const firsts = await sql<Row>`${sql.join(queries, sql` union all `)}
    order by urgency desc, ready, receiver`.execute(db);
  const first = Map.groupBy(firsts.rows, ({ urgency }) => urgency);
  for (const urgency of urgencies) {
    let rows = first.get(urgency) ?? [];
    for (let most = limit; ; most = furtherAtOnce) {
      for (const { receiver: key } of rows) {
        const queued = { key, receiver: receiverOfKey(key), urgency };
        if (found.length < count && fits(queued)) found.push(queued);
      }
      const after = rows.at(-1);
      if (after === undefined || rows.length < most || found.length === count) break;
      // Statements on SQLite do not yield to the event loop by themselves, and many rows may be refused.
      await setImmediate();
      ({ rows } = await waiting({ ...whose, urgency, limit: furtherAtOnce, after }).execute(db));
    }
  }
  return found;
}

/** Returns those of the receivers whose turn it is and to which nothing is being sent. */
export async function queued(
  db: Kysely<Tables>,
  { keys, now }: { readonly keys: readonly string[]; readonly now: number },
): Promise<Queued[]> {
  const rows = await db
    .selectFrom('queue')
    .select(['receiver', 'urgency'])
    .where('receiver', 'in', keys)
    .where('token', 'is', null)
    .where('ready', '<=', now)
    .execute();
  return rows.map(({ receiver: key, urgency }) => ({ key, receiver: receiverOfKey(key), urgency }));
}

interface Waiting {
  readonly notifier: string;
  readonly now: number;
}

interface Row {
  readonly receiver: string;
  readonly ready: number;
  readonly urgency: number;
}

/**
 * Returns the query for receivers that wait. It is SQL because Kysely's builder takes longer to build it than the database
 * takes to answer it.
 */
const waiting = ({
  notifier,
  now,
  urgency,
  limit,
  after,
}: Waiting & {
  readonly urgency: number;
  readonly limit: number;
  readonly after?: Pick<Row, 'ready' | 'receiver'>;
}) => sql<Row>`select receiver, ready, urgency from queue
  where token is null and notifier = ${notifier} and urgency = ${urgency} and ready <= ${now}
    ${after === undefined ? sql`` : sql`and (ready, receiver) > (${after.ready}, ${after.receiver})`}
    and ${isNotPaused}
  order by ready, receiver limit ${limit}`;

/**
 * Puts rows into the outbox, where a revision waits for a receiver only once. The receivers' turns move forward to the time
 * at which the rows are due, unless the receivers are held.
 * @param rows at most as many as one statement takes
 */
export async function enqueue(
  trx: Transaction<Tables>,
  rows: readonly Insertable<Tables['outbox']>[],
): Promise<void> {
  if (rows.length === 0) return;
  await trx
    .insertInto('outbox')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['receiver', 'alert_id', 'revision']).doNothing())
    .execute();
  const own = Map.groupBy(rows, ({ receiver }) => receiver);
  // A fixed order, so that no two transactions that write the same rows wait for each other.
  const values = [...own.keys()].sort().map((receiver) => {
    const waiting = own.get(receiver) ?? [];
    return {
      receiver,
      notifier: waiting[0]?.notifier ?? '',
      urgency: Math.max(...waiting.map(urgencyOf)),
      ready: Math.min(...waiting.map(({ due }) => due)),
    };
  });
  await trx
    .insertInto('queue')
    .values(values)
    .onConflict((conflict) => conflict.column('receiver').doUpdateSet(sooner))
    .execute();
}

/** The turn of a receiver that waits already, when more comes for it. */
const sooner = {
  urgency: sql<number>`case when excluded.urgency > queue.urgency then excluded.urgency else queue.urgency end`,
  ready: sql<number>`case when excluded.ready < queue.held then queue.held
    when excluded.ready < queue.ready then excluded.ready else queue.ready end`,
};

/**
 * Does what `enqueue` does, for rows that differ only in their receivers: a page of an alert to many. What the rows have in
 * common is sent once, and the receivers as one parameter, which `json_each` reads on either database.
 */
export async function enqueueAlike(
  trx: Transaction<Tables>,
  receivers: readonly Pick<Insertable<Tables['outbox']>, 'receiver' | 'notifier' | 'address'>[],
  row: Pick<Insertable<Tables['outbox']>, 'group_key' | 'alert_id' | 'revision' | 'urgent' | 'due'> & {
    readonly doubtful: number;
  },
): Promise<void> {
  if (receivers.length === 0) return;
  const { group_key, alert_id, revision, urgent, due, doubtful } = row;
  // A fixed order, so that no two transactions that write the same rows wait for each other.
  const sorted = receivers.toSorted((a, b) => (a.receiver < b.receiver ? -1 : 1));
  // The text is put together here, because an object with so many different fields takes longer to build.
  const fields = sorted.map(({ receiver, notifier, address }) => {
    const [key, value] = [JSON.stringify(receiver), JSON.stringify([notifier, address])];
    return `${key}:${value}`;
  });
  const each = `{${fields.join()}}`;
  // `where true` separates the source of the rows from the conflict, which SQLite else reads as part of a join.
  await sql`insert into outbox
      (receiver, notifier, address, group_key, alert_id, revision, urgent, due, doubtful)
    select key, value ->> 0, value ->> 1, ${group_key}, ${alert_id}, ${revision}, ${urgent}, ${due}, ${doubtful}
    from json_each(${each}) where true
    on conflict (receiver, alert_id, revision) do nothing`.execute(trx);
  await sql`insert into queue (receiver, notifier, urgency, ready)
    select key, value ->> 0, ${urgencyOf(row)}, ${due} from json_each(${each}) where true
    on conflict (receiver) do update set urgency = ${sooner.urgency}, ready = ${sooner.ready}`.execute(trx);
}

/**
 * Locks the queue's rows of these receivers until the transaction ends; what comes into the outbox for them waits for that.
 * Returns the token of each receiver that has a row.
 */
export async function lockReceivers(
  trx: Transaction<Tables>,
  receivers: readonly string[],
  dialect: Dialect,
): Promise<ReadonlyMap<string, RowId | null>> {
  const rows = trx
    .selectFrom('queue')
    .select(['receiver', 'token'])
    .where('receiver', 'in', [...new Set(receivers)])
    .orderBy('receiver');
  const locked = await (dialect === 'postgres' ? rows.forUpdate() : rows).execute();
  return new Map(locked.map(({ receiver, token }) => [receiver, token]));
}

/**
 * Updates the queue's rows of receivers that have had their turn to what still waits for them. A receiver for which more
 * waits is queued from `now` on, behind those that have waited longer.
 * @param begun `ended`, or `open` if the post that was begun there may still have arrived
 * @param precedingStatements statements that run before, in the same round trip
 */
export async function requeue(
  trx: Transaction<Tables>,
  {
    receivers,
    now,
    begun,
    precedingStatements = [],
  }: {
    readonly receivers: readonly string[];
    readonly now: number;
    readonly begun: 'ended' | 'open';
    readonly precedingStatements?: readonly Statement[];
  },
): Promise<void> {
  if (receivers.length === 0) {
    if (precedingStatements.length > 0) await atOnce(trx, precedingStatements);
    return;
  }
  const empty = trx
    .deleteFrom('queue')
    .where('receiver', 'in', receivers)
    .where(sql<boolean>`not exists (select 1 from outbox where outbox.receiver = queue.receiver)`);
  const done = await atOnce(trx, [...precedingStatements, empty]);
  if (Number(done.at(-1)?.numAffectedRows) === receivers.length) return;
  const ended = begun === 'ended';
  await sql`insert into queue (receiver, notifier, urgency, ready)
    select receiver, min(notifier),
      max(case when urgent = 1 then 2 when revision = 1 and replaced is null then 1 else 0 end),
      case when min(due) < ${now} then ${now} else min(due) end
    from outbox where receiver in (${sql.join(receivers)}) group by receiver
    on conflict (receiver) do update set token = null, urgency = excluded.urgency,
      ready = case when excluded.ready < queue.held then queue.held else excluded.ready end
      ${ended ? sql`, begun = null` : sql``}`.execute(trx);
}

/**
 * Frees the receivers that were taken under the lease of another process, which has died, so that their turn comes again.
 * Returns how many posts it had begun.
 */
export async function recover(
  trx: Transaction<Tables>,
  { notifier, token }: { readonly notifier: string; readonly token: number },
): Promise<{ readonly begun: number }> {
  const { begun } = await trx
    .selectFrom('queue')
    .select(sql<number>`count(begun)`.as('begun'))
    .where('notifier', '=', notifier)
    .where('token', 'is not', null)
    .where('token', '!=', token)
    .executeTakeFirstOrThrow();
  await trx
    .updateTable('queue')
    .set({ token: null })
    .where('notifier', '=', notifier)
    .where('token', 'is not', null)
    .where('token', '!=', token)
    .execute();
  return { begun: Number(begun) };
}
