import { type Kysely, sql } from 'kysely';
import { receiverOfKey } from '../alert/subscription.ts';
import { createCriteriaReader, isWantedByMany, readMatchers } from './matchers.ts';
import { readable, subscriptionBy } from './rows.ts';
import type { Criteria, Cursor, Page, RowId, Store } from './store.ts';
import { activeIn, activeQuery, type SubscriptionRow } from './subscriptions.ts';
import { suspendedReceivers } from './suspended-receivers.ts';
import type { Tables } from './tables.ts';

// A dispatch goes through the subscriptions in one of two orders. What few want goes from matcher to matcher, so that only
// the subscriptions of those that match are read. What many want goes from receiver to receiver: outbox and queue are
// indexed by receiver, and rows in the order of an index are written to a few of its pages, while rows in any other
// order are written to a page each, which the database then writes to its journal and to its file.

interface PageOptions {
  readonly size: number;
  readonly wants: (criteria: Criteria) => boolean;
}

/** Returns the function that reads pages: see `Store.expansion.page`. */
export function createPageReader(db: Kysely<Tables>): Store['expansion']['page'] {
  const readCriteria = createCriteriaReader(db);

  const pageOfReceivers = async (
    { receiver, subscription }: Cursor & { readonly receiver: string },
    { size, wants }: PageOptions,
  ): Promise<Page> => {
    const rows = await db
      .selectFrom('subscription')
      .select(columns)
      .where('matcher', 'is not', null)
      .where(sql<boolean>`(receiver, seq) > (${receiver}, ${subscription})`)
      .where('receiver', 'not in', suspendedReceivers(db))
      .orderBy('receiver')
      .orderBy('seq')
      .limit(size)
      .execute();
    const criteria = await readCriteria(rows.flatMap(({ matcher }) => matcher ?? []));
    const wanted = new Set<RowId | null>();
    for (const [id, each] of criteria) if (each === undefined || wants(each)) wanted.add(id);
    const last = rows.length < size ? undefined : rows.at(-1);
    return pageOf(
      rows.filter(({ matcher }) => wanted.has(matcher)),
      {
        criteria,
        next:
          last === undefined
            ? await movedCursor(db)
            : { matcher: 0, subscription: last.seq, receiver: last.receiver },
      },
    );
  };

  return async (cursor, options) => {
    const { matcher, subscription, receiver } = cursor;
    if (matcher === behindAllMatchers) return pageOfMoved(db, { after: subscription, ...options });
    if (receiver !== undefined) return pageOfReceivers({ ...cursor, receiver }, options);
    const hasBegun = matcher !== 0 || subscription !== 0;
    if (!hasBegun && (await isWantedByMany(db, options.wants)))
      return pageOfReceivers({ ...cursor, receiver: '' }, options);
    return pageOfMatchers(db, { cursor, ...options });
  };
}

async function pageOfMatchers(
  db: Kysely<Tables>,
  { cursor, size, wants }: { readonly cursor: Cursor } & PageOptions,
): Promise<Page> {
  const { matchers, after, next: following } = await readMatchers(db, { cursor, size, wants });
  if (matchers.size === 0)
    return { subscriptions: [], unreadable: [], next: following ?? (await movedCursor(db)) };
  const rows = await db
    .selectFrom('subscription')
    .select(columns)
    .where('matcher', 'in', [...matchers.keys()])
    .where('seq', '>', after)
    .where('receiver', 'not in', suspendedReceivers(db))
    .orderBy('matcher')
    .orderBy('seq')
    .limit(size)
    .execute();
  const last = rows.length < size ? undefined : rows.at(-1);
  const next =
    last === undefined
      ? (following ?? (await movedCursor(db)))
      : { matcher: last.matcher ?? 0, subscription: last.seq };
  return pageOf(rows, { criteria: matchers, next });
}

/** What is read of a subscription; what it asks for is in its matcher. */
const columns = [
  'seq',
  'id',
  'receiver',
  'notifier',
  'address',
  'matcher',
  'quiet_hours',
  'digest',
  'mention',
  'paused',
  'created_by',
  'created_at',
  'file',
] as const;

/** @param criteria what each matcher asks for; undefined if that cannot be read */
function pageOf(
  rows: readonly Pick<SubscriptionRow, (typeof columns)[number]>[],
  {
    criteria,
    next,
  }: { readonly criteria: ReadonlyMap<RowId, Criteria | undefined>; readonly next: Cursor | null },
): Page {
  const subscriptions = readable(rows, (row) => {
    const own = criteria.get(row.matcher ?? 0);
    if (own === undefined) throw new TypeError('what is asked for cannot be read');
    return subscriptionBy(row, own);
  });
  const read = new Set(subscriptions.map(({ id }) => id));
  const unreadable = rows.filter(({ id }) => !read.has(id)).map(({ receiver }) => receiverOfKey(receiver));
  return { subscriptions, unreadable, next };
}

/**
 * The value of a cursor's `matcher` once all matchers have been handled: the subscriptions that have moved meanwhile
 * follow.
 */
const behindAllMatchers = -1;

/** Returns the cursor behind the last matcher; null if no subscription has moved meanwhile. */
async function movedCursor(db: Kysely<Tables>): Promise<Cursor | null> {
  const one = await db
    .selectFrom('subscription')
    .select('seq')
    .where('moved', '=', 1)
    .limit(1)
    .executeTakeFirst();
  return one === undefined ? null : { matcher: behindAllMatchers, subscription: 0 };
}

/**
 * Returns a page of subscriptions that have moved to another matcher or receiver. A receiver that was reached already is
 * told nothing twice: see dedup.ts.
 */
async function pageOfMoved(
  db: Kysely<Tables>,
  { after, size, wants }: { readonly after: RowId } & PageOptions,
): Promise<Page> {
  const rows = await activeQuery(db)
    .where('subscription.moved', '=', 1)
    .where('subscription.seq', '>', after)
    .where('subscription.receiver', 'not in', suspendedReceivers(db))
    .limit(size)
    .execute();
  const last = rows.length < size ? undefined : rows.at(-1);
  return {
    subscriptions: activeIn(rows).filter(wants),
    unreadable: [],
    next: last === undefined ? null : { matcher: behindAllMatchers, subscription: last.seq },
  };
}
