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

export const cannotOpen = (path: string, cause: unknown): ConfigError =>
  new ConfigError(
    [`The database file ${path} cannot be opened: check that its folder exists and is writable.`],
    {
      cause,
    },
  );
