import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../runtime/errors.ts';
import { cannotOpen, makeFile } from './file.ts';

/** SQLITE_BUSY. */
const busy = 5;
/** Ms to wait for the lock. A commit of another process is over by then. */
const patience = 500;

/**
 * Locks a SQLite file for this process alone, by a write lock of SQLite on a second file, `-lock`, beside it. The system
 * releases this lock however the process ends. The lock file also contains the holder's pid, which other processes may read
 * but not rely on.
 * @throws ConfigError with the pid of the process that has the lock
 */
export function lockFile(path: string): { release(): void } {
  const lock = lockOf(path);
  makeFile(lock);
  const file = new DatabaseSync(lock, { timeout: patience });
  try {
    file.exec('CREATE TABLE IF NOT EXISTS holder (pid INTEGER)');
    // Other processes can read the pid only after a commit, which releases the lock. So the pid is committed and the lock
    // taken again, until the pid in the file is that of this process.
    for (file.exec('BEGIN IMMEDIATE'); pidIn(file) !== process.pid; file.exec('BEGIN IMMEDIATE')) {
      file.exec(`DELETE FROM holder; INSERT INTO holder VALUES (${process.pid}); COMMIT`);
    }
  } catch (cause) {
    const pid = isBusy(cause) ? pidIn(file) : undefined;
    file.close();
    if (!isBusy(cause)) throw cannotOpen(lock, cause);
    throw new ConfigError([inUse(path, pid)], { cause });
  }
  return { release: () => file.close() };
}

/** Returns why the file cannot be locked; null if it can. Changes nothing. */
export function lockProblem(path: string): string | null {
  const lock = lockOf(path);
  if (!existsSync(lock)) return null;
  const file = new DatabaseSync(lock, { timeout: patience });
  try {
    file.exec('BEGIN IMMEDIATE; ROLLBACK');
    return null;
  } catch (error) {
    if (!isBusy(error)) throw error;
    return inUse(path, pidIn(file));
  } finally {
    file.close();
  }
}

const lockOf = (path: string): string => `${path}-lock`;

const pidIn = (file: DatabaseSync): unknown => file.prepare('SELECT pid FROM holder').get()?.pid;

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === busy;

const inUse = (path: string, pid: unknown): string =>
  `The database file ${path} is in use by process ${pid}: stop that process, or use another file`;
