import { type Kysely, sql } from 'kysely';
import { receiverOfKey } from '../../alert/subscription.ts';
import { readMatchers } from '../places/matchers.ts';
import { activeIn, activeQuery } from '../places/subscriptions.ts';
import type { Criteria, Cursor, Page, RowId } from '../ports.ts';
import { readable, subscriptionBy } from '../rows.ts';
import type { Tables } from '../tables.ts';
import { suspendedReceivers } from './suspended-receivers.ts';

interface PageOptions {
  readonly cursor: Cursor;
  readonly size: number;
  readonly wants: (criteria: Criteria) => boolean;
}

/** Reads a page of subscriptions: see `Expansion.page`. */
export const readPage = (db: Kysely<Tables>, options: PageOptions): Promise<Page> =>
  options.cursor.matcher === behindAllMatchers ? pageOfMoved(db, options) : pageOfMatchers(db, options);

/**
 * A dispatch goes from matcher to matcher, so that only the subscriptions of those that match are read, and within a matcher
 * from receiver to receiver: outbox and queue are indexed by receiver, and rows in the order of an index are written to few of
 * its pages. In any other order each takes a page of its own, which the database writes to its journal and to its file.
 */
async function pageOfMatchers(db: Kysely<Tables>, { cursor, size, wants }: PageOptions): Promise<Page> {
  const { matchers, after, next: following } = await readMatchers(db, { cursor, size, wants });
  const [first] = matchers.keys();
  if (first === undefined)
    return { subscriptions: [], unreadable: [], next: following ?? (await movedCursor(db)) };
  const active = db.selectFrom('subscription').select(columns);
  // Postgres reads the subscriptions of one matcher in their order, and those of several not; these are few.
  const ofMatchers =
    matchers.size === 1
      ? active.where('matcher', '=', first)
      : active.where('matcher', 'in', [...matchers.keys()]).orderBy('matcher');
  const rows = await ofMatchers
    .where(sql<boolean>`(receiver, seq) > (${after.receiver}, ${after.subscription})`)
    .where('receiver', 'not in', suspendedReceivers(db))
    .orderBy('receiver')
    .orderBy('seq')
    .limit(size)
    .execute();
  const last = rows.length < size ? undefined : rows.at(-1);
  const subscriptions = readable(rows, (row) => {
    const criteria = matchers.get(row.matcher ?? 0);
    if (criteria === undefined) throw new TypeError('what is asked for cannot be read');
    return subscriptionBy(row, criteria);
  });
  const read = new Set(subscriptions.map(({ id }) => id));
  return {
    subscriptions,
    unreadable: rows.filter(({ id }) => !read.has(id)).map(({ receiver }) => receiverOfKey(receiver)),
    next:
      last === undefined
        ? (following ?? (await movedCursor(db)))
        : { matcher: last.matcher ?? 0, receiver: last.receiver, subscription: last.seq },
  };
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
  'style',
  'paused',
  'created_by',
  'created_at',
  'file',
] as const;

/**
 * The value of a cursor's `matcher` once all matchers have been handled: the subscriptions that have moved meanwhile
 * follow.
 */
const behindAllMatchers = -1;

const cursorAmongMoved = (subscription: RowId): Cursor => ({
  matcher: behindAllMatchers,
  receiver: '',
  subscription,
});

/** Returns the cursor behind the last matcher; null if no subscription has moved meanwhile. */
async function movedCursor(db: Kysely<Tables>): Promise<Cursor | null> {
  const moved = db.selectFrom('subscription').select('seq').where('moved', '=', 1).limit(1);
  return (await moved.executeTakeFirst()) === undefined ? null : cursorAmongMoved(0);
}

/**
 * Returns a page of subscriptions that have moved to another matcher or receiver. A receiver that was reached already is
 * told nothing twice: see dedup.ts.
 */
async function pageOfMoved(db: Kysely<Tables>, { cursor, size, wants }: PageOptions): Promise<Page> {
  const rows = await activeQuery(db)
    .where('subscription.moved', '=', 1)
    .where('subscription.seq', '>', cursor.subscription)
    .where('subscription.receiver', 'not in', suspendedReceivers(db))
    .limit(size)
    .execute();
  const last = rows.length < size ? undefined : rows.at(-1);
  return {
    subscriptions: activeIn(rows).filter(wants),
    unreadable: [],
    next: last === undefined ? null : cursorAmongMoved(last.seq),
  };
}
