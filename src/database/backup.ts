import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../runtime/errors.ts';
import { cannotOpen, lacksSpace, makeFile } from './file.ts';

/**
 * Pages copied in one step: all. SQLite starts a copy again whenever another process has written between two steps, so
 * under load it would never end. A process that writes meanwhile is not blocked (WAL).
 */
const allPages = 2 ** 31 - 1;

/** Endings of the files that SQLite keeps beside a database file. */
const sideFileEndings = ['-wal', '-shm'];

/** A copy that is complete, checked and on the disk. It is deleted when it is disposed of, unless it was put in place. */
export interface FinishedCopy extends Disposable {
  /** Where it is until it is put in place. */
  readonly path: string;
  /**
   * Gives the copy its name. A file of that name is replaced.
   * @param makeRoom moves away an existing file of that name, at the last moment
   */
  putInPlace(makeRoom?: () => void): void;
}

/**
 * Copies a SQLite file as of one moment, even while it is written, into one file for its owner alone (0600), without a -wal
 * beside it.
 * @param to where the copy can be put
 * @param prepare changes the copy before it is checked
 * @throws ConfigError
 */
export async function copyDatabase(
  from: string,
  to: string,
  prepare?: (copy: string) => Promise<void>,
): Promise<FinishedCopy> {
  const copy = `${to}.part`;
  const discard = () => remove(copy);
  try {
    discard();
    makeFile(copy);
    await copyPages(from, copy);
    await prepare?.(copy);
    finishCopy(copy, from);
  } catch (error) {
    discard();
    throw error;
  }
  return {
    path: copy,
    putInPlace(makeRoom) {
      makeRoom?.();
      renameSync(copy, to);
      syncToDisk(dirname(to));
    },
    [Symbol.dispose]: discard,
  };
}

/** Moves a database file together with the files beside it, which SQLite needs to read the latest commits. */
export function moveDatabase(from: string, to: string): void {
  for (const end of ['', ...sideFileEndings]) if (existsSync(from + end)) renameSync(from + end, to + end);
}

async function copyPages(from: string, to: string): Promise<void> {
  let source: DatabaseSync | undefined;
  try {
    source = new DatabaseSync(from, { readOnly: true, timeout: 5_000 });
    await backup(source, to, { rate: allPages });
  } catch (cause) {
    throw cannotOpen(lacksSpace(cause) ? to : from, cause);
  } finally {
    source?.close();
  }
}

/** Checks a copy of `from`, removes its -wal, and makes sure that it is on the disk. */
function finishCopy(path: string, from: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA journal_mode = DELETE');
    const [first] = database.prepare('PRAGMA quick_check(1)').all();
    if (first?.quick_check !== 'ok')
      throw new ConfigError([`${from} is damaged (${first?.quick_check}): use an earlier backup`]);
  } finally {
    database.close();
  }
  syncToDisk(path);
}

function syncToDisk(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}

function remove(path: string): void {
  for (const end of ['', '-journal', ...sideFileEndings]) rmSync(path + end, { force: true });
}
