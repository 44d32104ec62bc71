import { randomUUID } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { isOwnFault } from '../runtime/own-fault.ts';
import { settings } from './settings.ts';
import type { Tables } from './tables.ts';

const identitySetting = 'identity';

/**
 * Gives the database an id if it has none. Returns a function that looks whether the id is still there: a server's database
 * that was emptied, or replaced by another of the same name, accepts everything and knows nothing.
 */
export async function identify({ db, guard }: Database<Tables>): Promise<() => Promise<void>> {
  const values = { name: identitySetting, value: randomUUID() };
  await db
    .insertInto('setting')
    .values(values)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const read = () => settings(db).get(identitySetting);
  const id = await read();
  return async () => {
    let now: string | undefined;
    try {
      now = await read();
    } catch (error) {
      // A table that is gone is an answer; a server that does not answer is none.
      if (!isOwnFault(error)) throw error;
    }
    guard.note('identity', now === id ? null : 'the database was emptied or replaced by another');
  };
}
