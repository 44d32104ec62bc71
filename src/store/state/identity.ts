import { randomUUID } from 'node:crypto';
import type { Database } from '../../database/database.ts';
import { isOwnFault } from '../../runtime/own-fault.ts';
import type { Tables } from '../tables.ts';
import { settings } from './settings.ts';

const identitySetting = 'identity';

/**
 * Returns a function that looks whether this is still the database of the first look, which gives it an id: a server's
 * database that was emptied, or replaced by another of the same name, accepts everything and knows nothing.
 */
export function identify({ db, guard }: Pick<Database<Tables>, 'db' | 'guard'>): () => Promise<void> {
  const read = () => settings(db).get(identitySetting);
  let id: string | undefined;
  return async () => {
    if (id === undefined) {
      id = await settings(db).keep(identitySetting, randomUUID());
      return;
    }
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
