import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../runtime/errors.ts';
import { makeFile } from './file.ts';

/** SQLITE_BUSY. */
const busy = 5;
/** Ms; another's commit is over by then. */
const patience = 500;

/**
 * Keeps a SQLite file for this process alone, beside it in `-lock`: a write lock of SQLite's own, which the system
 * takes back however the process ends, and under it the holder's pid, which others may read but not believe in.
 * @throws ConfigError with the pid of the process that has it
 */
export function lockFile(path: string): { release(): void } {
  const lock = lockOf(path);
  makeFile(lock);
  const file = new DatabaseSync(lock, { timeout: patience });
  try {
    file.exec('CREATE TABLE IF NOT EXISTS holder (pid INTEGER)');
    // A commit is what others can read, and gives the lock up: until the pid that stands there is ours, once more.
    for (file.exec('BEGIN IMMEDIATE'); pidIn(file) !== process.pid; file.exec('BEGIN IMMEDIATE')) {
      file.exec(`DELETE FROM holder; INSERT INTO holder VALUES (${process.pid}); COMMIT`);
    }
  } catch (cause) {
    const pid = isBusy(cause) ? pidIn(file) : undefined;
    file.close();
    if (!isBusy(cause)) throw cause;
    throw new ConfigError([inUse(path, pid)], { cause });
  }
  return { release: () => file.close() };
}

/** Why the file cannot be had for oneself; null: it can. Changes nothing. */
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
