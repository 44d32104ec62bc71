import { closeSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { offerToParent } from '../runtime/thread.ts';
import { isDamage } from './guard.ts';

/** Returns what SQLite finds wrong in the file; null if nothing. */
function damageIn(path: string): string | null {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: 1_000 });
    const found = database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
    if (found !== 'ok') return String(found);
    return isWalReadable(path) ? null : 'the next start cannot read its -wal file';
  } catch (error) {
    if (!isDamage(error)) throw error;
    return error.message;
  } finally {
    database?.close();
  }
}

/** How a -wal file begins (https://sqlite.org/fileformat2.html#walformat). */
const walMagic: readonly number[] = [0x377f0682, 0x377f0683];

/**
 * Returns whether a start would read the -wal file, from which an open database reads by an index in memory. Its header is
 * written before all else, so that a file without one was emptied or overwritten meanwhile.
 */
function isWalReadable(path: string): boolean {
  const header = Buffer.alloc(4);
  let file: number | undefined;
  try {
    file = openSync(`${path}-wal`, 'r');
    return readSync(file, header) < header.length || walMagic.includes(header.readUInt32BE());
  } catch {
    return true;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

export interface Integrity {
  readonly damageIn: typeof damageIn;
}
offerToParent({ damageIn } satisfies Integrity);
