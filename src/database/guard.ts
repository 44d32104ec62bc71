import { statSync } from 'node:fs';
import { DatabaseLost } from '../runtime/errors.ts';

/** Refuses writes to a database that is no longer what was opened: people would be told that they were saved. */
export interface Guard {
  /** Path of the SQLite file; undefined if it is no file. */
  readonly path: string | undefined;
  /** Why nothing more may be written, with the remedy; null: nothing is known against the database. */
  problem(): string | null;
  /** Notes what an examination has found; null: nothing. */
  note(examination: 'content' | 'identity', problem: string | null): void;
  /**
   * @param cause what SQLite has just said
   * @throws DatabaseLost
   */
  check(cause?: unknown): void;
}

/** SQLITE_CORRUPT and SQLITE_NOTADB, with their extended codes. Any other error says nothing about the file. */
const damage: readonly unknown[] = [11, 26];

/** Returns whether an error of SQLite says that the file is damaged. */
export const isDamage = (error: unknown): error is Error =>
  error instanceof Error && 'errcode' in error && damage.includes(Number(error.errcode) & 0xff);

/** What is wrong with a file, in the words of SQLite. */
export const damageText = (path: string | undefined, found: string): string =>
  `the database file ${path} is damaged (${found})`;

const remedy = 'stop the bot, put the file or a backup back (npm run restore -- FILE), and start it again';

/** @param path of the file that has just been opened; undefined if it is no file */
export function createGuard(path?: string): Guard {
  const opened = path === undefined ? undefined : identityOf(path);
  const noted = new Map<string, string>();
  const problem = () => {
    if (path !== undefined && typeof opened === 'string') {
      const now = identityOf(path);
      if (now === null) return `the database file ${path} was deleted: nothing is saved; ${remedy}`;
      if (now === empty) return `the database file ${path} was emptied: nothing is saved; ${remedy}`;
      if (now !== undefined && now !== opened)
        return `the database file ${path} was replaced by another: nothing is saved; ${remedy}`;
    }
    return noted.values().next().value ?? null;
  };
  return {
    path,
    problem,
    note(examination, found) {
      if (found === null) noted.delete(examination);
      else
        noted.set(examination, `${found}: nothing is saved; ${path === undefined ? remedyOfServer : remedy}`);
    },
    check(cause) {
      const found = problem();
      if (found !== null) throw new DatabaseLost(found, { cause });
    },
  };
}

const remedyOfServer = 'stop every bot on it, restore a backup (pg_restore), and start them again';

/** What an open database's file never is: SQLite takes it for a new database, in which an examination finds nothing wrong. */
const empty = 'empty';

/** Returns device and inode of the file, or that it is empty; null if there is none, undefined if that cannot be told. */
function identityOf(path: string): string | null | undefined {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return null;
    return found.size === 0n ? empty : `${found.dev} ${found.ino}`;
  } catch {
    return undefined;
  }
}
