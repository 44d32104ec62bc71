import { DatabaseSync } from 'node:sqlite';
import { offerToParent } from '../runtime/thread.ts';

/** SQLITE_CORRUPT and SQLITE_NOTADB, with their extended codes. Any other error says nothing about the file. */
const damage: readonly unknown[] = [11, 26];

/** Returns what SQLite finds wrong in the file; null if nothing. */
function damageIn(path: string): string | null {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: 1_000 });
    const found = database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
    return found === 'ok' ? null : String(found);
  } catch (error) {
    if (!(error instanceof Error && 'errcode' in error && damage.includes(Number(error.errcode) & 0xff)))
      throw error;
    return error.message;
  } finally {
    database?.close();
  }
}

export interface Integrity {
  readonly damageIn: typeof damageIn;
}
offerToParent({ damageIn } satisfies Integrity);
