import { closeSync, mkdirSync, openSync } from 'node:fs';
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

/** Returns the error that a file cannot be opened. A full disk may pass. */
export const cannotOpen = (path: string, cause: unknown): ConfigError =>
  lacksSpace(cause)
    ? new ConfigError([`There is no space for ${path}: make some, or name another place`], {
        cause,
        mayPass: true,
      })
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
