import { closeSync, mkdirSync, openSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../runtime/errors.ts';

/**
 * Creates a file if there is none, and its folder, with permissions for their owner alone. SQLite gives -wal and -shm the
 * same permissions as the file.
 * @throws ConfigError
 */
export function makeFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
  } catch (cause) {
    throw cannotOpen(path, cause);
  }
}

/** Returns the error that there is no space for a file. That may pass. */
export const noSpace = (path: string, cause?: unknown): ConfigError =>
  new ConfigError([`There is no space for ${path}: make some, or name another place`], {
    cause,
    mayPass: true,
  });

/** Returns the error that a file cannot be opened. */
export const cannotOpen = (path: string, cause: unknown): ConfigError =>
  lacksSpace(cause)
    ? noSpace(path, cause)
    : new ConfigError(
        [`The database file ${path} cannot be opened: check that its folder exists and is writable.`],
        { cause },
      );

/** SQLITE_FULL, and SQLITE_IOERR_SHMSIZE: there is no space for the -shm file. */
const fullResults: readonly unknown[] = [13, 4_874];
/** The system's codes, and disk_full of Postgres. */
const fullCodes: readonly unknown[] = ['ENOSPC', 'EDQUOT', '53100'];

/** Returns whether an error says that the disk, or the user's share of it, is full. */
export const lacksSpace = (error: unknown): boolean =>
  error instanceof Error &&
  (('errcode' in error && fullResults.includes(error.errcode)) ||
    ('code' in error && fullCodes.includes(error.code)));

/** Bytes below which a disk counts as full: the first changes of a start fill as much. */
const leastSpace = 1024 * 1024;

/** Returns whether a folder's disk is full. A file system that does not say how large it is never counts as full. */
export function isFull(folder: string): boolean {
  const { blocks, bavail, bsize } = statfsSync(folder);
  return blocks > 0 && bavail * bsize < leastSpace;
}
