import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** A file system in memory, and the free bytes of it from which on the tests store their data there. */
const memory = '/dev/shm';
const enough = 4 * 1_024 ** 3;

/**
 * Returns the folder for the data of a run: in memory if there is room. On a disk, what waits for the disk is a twentieth of the
 * run, and of a new Postgres database, which is some three hundred files, it is most.
 */
export function temporaryFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (Math.min(bavail * bsize, process.availableMemory()) > enough) return memory;
  } catch {
    // The system has no such file system.
  }
  return tmpdir();
}
