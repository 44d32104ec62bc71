import { type FileHandle, open, realpath } from 'node:fs/promises';

/** Writes what a file has in memory to the disk. */
export interface FileSync {
  /** Resolves once everything that was written before the call survives a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Results of a file system that has no such request. */
const unsupportedCodes: readonly unknown[] = ['EINVAL', 'ENOSYS', 'ENOTSUP'];

const isOneOf = (codes: readonly unknown[], error: unknown): boolean =>
  error instanceof Error && 'code' in error && codes.includes(error.code);

/**
 * Opens the file that SQLite creates at its first commit, beside the database itself if that is named by a link. Undefined if
 * there is none: on a file system on which SQLite can have no WAL, it syncs by itself.
 */
async function openWal(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(`${await realpath(path)}-wal`, 'r+');
  } catch (error) {
    if (isOneOf(['ENOENT'], error)) return undefined;
    throw error;
  }
}

/**
 * Syncs a database's -wal file, outside the event loop: with `synchronous = FULL` SQLite would do it at every commit, and
 * nothing else would run meanwhile. To close the file again takes no lock from SQLite, whose locks are on other files.
 */
export function openWalSync(path: string): FileSync {
  let wal: FileHandle | undefined;
  const flush = async () => {
    wal ??= await openWal(path);
    try {
      await wal?.datasync();
    } catch (error) {
      if (!isOneOf(unsupportedCodes, error)) throw error;
    }
  };
  return { sync: shareRuns(flush), close: async () => wal?.close() };
}

/** Returns a function of which calls that come while a run is under way share the next one. */
export function shareRuns(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const start = () => {
    next = undefined;
    current = run();
    return current;
  };
  return () => {
    next ??= current.then(start, start);
    return next;
  };
}
