import { hash } from 'node:crypto';
import { type Kysely, type Selectable, sql } from 'kysely';
import { watchlist } from '../../alert/symbols.ts';
import type { Criteria, Cursor, RowId } from '../ports.ts';
import { effectiveSymbols, matcherOf } from '../rows.ts';
import type { Tables } from '../tables.ts';

// A matcher is what subscriptions ask for, stored once for all that ask for the same: where millions subscribe, there are
// thousands of matchers. A matcher exists for as long as a subscription uses it, and what it asks for never changes.

type Texts = Pick<Selectable<Tables['matcher']>, 'kinds' | 'symbols' | 'min_severity'>;

/** Returns the key of a matcher: a hash, because the symbols of a watchlist may be too long to be a key. */
export const matcherKey = ({ kinds, symbols, min_severity }: Texts): string =>
  hash('sha256', JSON.stringify([kinds, symbols, min_severity]));

/** Returns what a subscription asks for, with the symbols that its place follows where it names the watchlist. */
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
 * Returns the matcher of these texts, counts `by` more subscriptions that use it, and creates it if there is none: in one
 * statement, so that no matcher is deleted that is about to be used.
 */
export async function acquireMatcher(
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

/** Counts one subscription less that uses each of these matchers. Deletes those that none uses any more. */
export async function releaseMatchers(db: Kysely<Tables>, ids: readonly RowId[]): Promise<void> {
  if (ids.length === 0) return;
  const each = Map.groupBy(ids, (id) => id);
  // A fixed order, so that no two transactions that write the same rows wait for each other.
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

/** The matchers of one page of a dispatch, and where the next page begins. */
interface MatcherPage {
  /** What each matcher asks for; undefined if that cannot be read. */
  readonly matchers: ReadonlyMap<RowId, Criteria | undefined>;
  /** The subscriptions of the first matcher up to this one have been handled. */
  readonly after: Pick<Cursor, 'receiver' | 'subscription'>;
  readonly next: Cursor | null;
}

const startOfMatcher = { receiver: '', subscription: 0 };

/** The least number of matchers read at once, however many alerts they are compared with. */
const minMatchers = 64;

/**
 * Returns the matchers that `wants` accepts, from the cursor on, as many as fill a page: several that have few
 * subscriptions each, or a single one whose subscriptions may take several pages.
 */
export async function readMatchers(
  db: Kysely<Tables>,
  {
    cursor,
    size,
    wants,
  }: { readonly cursor: Cursor; readonly size: number; readonly wants: (criteria: Criteria) => boolean },
): Promise<MatcherPage> {
  const limit = cursor.subscription === 0 ? Math.max(size, minMatchers) : 1;
  const rows = await db
    .selectFrom('matcher')
    .selectAll()
    .where('id', '>=', cursor.matcher)
    .orderBy('id')
    // One row more, at which the next page begins.
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
    after: rows[0]?.id === cursor.matcher ? cursor : startOfMatcher,
    next: following === undefined ? null : { matcher: following.id, ...startOfMatcher },
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
