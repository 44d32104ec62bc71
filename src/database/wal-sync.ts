import { type FileHandle, open } from 'node:fs/promises';

/** Writes what a file has in memory to the disk. */
export interface FileSync {
  /** Resolves once everything that was written before the call survives a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Results of a file system that has no such request. */
const unsupportedCodes: readonly unknown[] = ['EINVAL', 'ENOSYS', 'ENOTSUP'];

/**
 * Syncs a database's -wal file, outside the event loop: with `synchronous = FULL` SQLite would do it at every commit, and
 * nothing else would run meanwhile. To close the file again takes no lock from SQLite, whose locks are on other files.
 */
export function openWalSync(path: string): FileSync {
  let opened: Promise<FileHandle> | undefined;
  const flush = async () => {
    // SQLite creates the file at the first commit.
    opened ??= open(`${path}-wal`, 'r+');
    try {
      await (await opened).datasync();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && unsupportedCodes.includes(error.code))) throw error;
    }
  };
  return { sync: shareRuns(flush), close: async () => (await opened?.catch(() => undefined))?.close() };
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
