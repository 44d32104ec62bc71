import { hash } from 'node:crypto';
import { type Kysely, type Selectable, sql } from 'kysely';
import { watchlist } from '../alert/symbols.ts';
import { effectiveSymbols, matcherOf } from './rows.ts';
import type { Criteria, Cursor, RowId } from './store.ts';
import type { Tables } from './tables.ts';

// What subscriptions ask for, each kept once: thousands differ where millions subscribe. A matcher is there for as long as
// somebody wants it, and what it asks for never changes.

type Texts = Pick<Selectable<Tables['matcher']>, 'kinds' | 'symbols' | 'min_severity'>;

/** The symbols of some thousand watchlists are too long to be a key themselves. */
export const matcherKey = ({ kinds, symbols, min_severity }: Texts): string =>
  hash('sha256', JSON.stringify([kinds, symbols, min_severity]));

/** What a subscription asks for as it takes effect: with what its place follows where it names the watchlist. */
export async function effectiveTexts(
  db: Kysely<Tables>,
  { receiver, kinds, symbols, min_severity }: Texts & { readonly receiver: string },
): Promise<Texts> {
  const row = symbols.includes(watchlist) ? await followedBy(db, receiver) : undefined;
  const effective = new Set(effectiveSymbols({ symbols, followed: row?.symbols ?? null }));
  return { kinds, symbols: JSON.stringify([...effective].sort()), min_severity };
}

const followedBy = (db: Kysely<Tables>, receiver: string) =>
  db.selectFrom('watchlist').select('symbols').where('receiver', '=', receiver).executeTakeFirst();

/**
 * The matcher of these texts, which so many more want: in one statement, so that none goes that is about to be wanted.
 */
export async function want(
  db: Kysely<Tables>,
  { by = 1, ...texts }: Texts & { readonly by?: number },
): Promise<RowId> {
  const { kinds, symbols, min_severity } = texts;
  const { id } = await db
    .insertInto('matcher')
    .values({ key: matcherKey(texts), kinds, symbols, min_severity, wanted: by })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ wanted: sql`matcher.wanted + ${by}` }))
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Each is wanted by one less. */
export async function unwant(db: Kysely<Tables>, ids: readonly RowId[]): Promise<void> {
  if (ids.length === 0) return;
  const each = Map.groupBy(ids, (id) => id);
  // In one order, so that no two that write the same rows wait for each other.
  for (const [id, { length }] of [...each].sort(([a], [b]) => (a < b ? -1 : 1)))
    await db
      .updateTable('matcher')
      .set({ wanted: sql`wanted - ${length}` })
      .where('id', '=', id)
      .execute();
  await db
    .deleteFrom('matcher')
    .where('id', 'in', [...each.keys()])
    .where('wanted', '<=', 0)
    .execute();
}

/** What is asked for on the way of an alert to those who want it, and where the next page begins. */
interface Asked {
  /** Undefined: it cannot be read. */
  readonly matchers: ReadonlyMap<RowId, Criteria | undefined>;
  /** Subscriptions of the first of them up to this one have been seen. */
  readonly after: RowId;
  readonly next: Cursor | null;
}

/** Matchers that are asked at once at the least, however many alerts they are asked about. */
const atLeast = 64;

/** From the cursor on, as many of those that are wanted as make a page: several of a few subscriptions, or a part of one. */
export async function ask(
  db: Kysely<Tables>,
  {
    cursor,
    size,
    wants,
  }: { readonly cursor: Cursor; readonly size: number; readonly wants: (criteria: Criteria) => boolean },
): Promise<Asked> {
  const limit = cursor.subscription === 0 ? Math.max(size, atLeast) : 1;
  const rows = await db
    .selectFrom('matcher')
    .selectAll()
    .where('id', '>=', cursor.matcher)
    .orderBy('id')
    // The one behind them is where it goes on.
    .limit(limit + 1)
    .execute();
  const matchers = new Map<RowId, Criteria | undefined>();
  let expected = 0;
  let following = rows[limit];
  for (const row of rows.slice(0, limit)) {
    const criteria = readable(row);
    if (criteria !== undefined && !wants(criteria)) continue;
    if (matchers.size > 0 && expected + row.wanted > size) {
      following = row;
      break;
    }
    matchers.set(row.id, criteria);
    expected += row.wanted;
  }
  return {
    matchers,
    after: rows[0]?.id === cursor.matcher ? cursor.subscription : 0,
    next: following === undefined ? null : { matcher: following.id, subscription: 0 },
  };
}

function readable(row: Texts): Criteria | undefined {
  try {
    const criteria = matcherOf(row);
    return Array.isArray(criteria.kinds) && Array.isArray(criteria.symbols) ? criteria : undefined;
  } catch {
    return undefined;
  }
}
