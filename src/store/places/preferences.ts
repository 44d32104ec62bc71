import type { Kysely, Selectable } from 'kysely';
import { type Receiver, receiverKey } from '../../alert/subscription.ts';
import { memoized } from '../../language/memoized.ts';
import type { Preferences } from '../../language/preferences.ts';
import { isTimeZone } from '../../language/time-format.ts';
import type { Chooser, PreferencesStore } from '../ports.ts';
import { readable } from '../rows.ts';
import type { Tables } from '../tables.ts';

/**
 * Returns the key of a place or a person. A receiver's key ends with its address in JSON, so it never equals a person's
 * key.
 */
const keyOf = (whose: Chooser): string => (typeof whose === 'string' ? whose : receiverKey(whose));

export const preferences = (db: Kysely<Tables>): PreferencesStore => ({
  async of(whose) {
    const key = keyOf(whose);
    return (await preferencesOf(db, [key])).get(key) ?? {};
  },
  async set(whose, chosen) {
    const key = keyOf(whose);
    if (Object.keys(chosen).length === 0) {
      await forgetPreferences(db, key);
      return;
    }
    const values = { chosen: JSON.stringify(chosen) };
    await db
      .insertInto('preferences')
      .values({ whose: key, ...values })
      .onConflict((conflict) => conflict.column('whose').doUpdateSet(values))
      .execute();
  },
});

/** Reads the preferences of these keys with one statement. A key for which nothing was chosen is not in the result. */
async function preferencesOf(
  db: Kysely<Tables>,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Preferences>> {
  return preferencesIn(await chosenBy(db, keys).execute());
}

/** Returns the query for the rows of these keys, for `preferencesIn`. */
export const chosenBy = (db: Kysely<Tables>, keys: readonly string[]) =>
  db.selectFrom('preferences').selectAll().where('whose', 'in', keys);

/** All that are stored were checked, so there are few of them. */
const isKnownZone = memoized(isTimeZone);

export const preferencesIn = (
  rows: readonly Selectable<Tables['preferences']>[],
): ReadonlyMap<string, Preferences> =>
  new Map(
    readable(rows, ({ whose, chosen }) => {
      const { timeZone, ...others } = JSON.parse(chosen) as Preferences;
      return [whose, timeZone !== undefined && isKnownZone(timeZone) ? { ...others, timeZone } : others];
    }),
  );

export async function forgetPreferences(db: Kysely<Tables>, key: string): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('preferences').where('whose', '=', key).executeTakeFirst();
  return Number(numDeletedRows);
}

/** Moves preferences to a new address. What was chosen under the new address already goes before what is moved there. */
export async function movePreferences(db: Kysely<Tables>, from: string, to: Receiver): Promise<void> {
  const { of, set } = preferences(db);
  const [brought, there] = [(await preferencesOf(db, [from])).get(from) ?? {}, await of(to)];
  await forgetPreferences(db, from);
  await set(to, { ...brought, ...there });
}
