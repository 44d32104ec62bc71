import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * Path of a file with the URL of the run's Postgres, or with the reason why there is none; written as soon as it is known.
     */
    postgres: string;
  }
}

/** A file system in memory, and the free bytes of it from which on Postgres stores its data there. */
const memory = '/dev/shm';
const enough = 4 * 1_024 ** 3;

/**
 * Returns where the folder of the tests' Postgres is made: in memory if there is room. A new database is some three hundred
 * files, and creating them on a disk takes several times as much processor time as all else about it.
 */
async function roomy(): Promise<string> {
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  return Math.min(bavail * bsize, process.availableMemory()) > enough ? memory : tmpdir();
}

/**
 * Starts Postgres in a child process without waiting for it: its URL, or the reason why there is none, appears in the file
 * `note`.
 * @param parent folder in which its own is made
 */
export async function servePostgres(
  parent = tmpdir(),
): Promise<{ readonly note: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(parent, 'tocsin-postgres-'));
  // mkdtemp creates the folder for its owner alone, and Postgres may run as another user.
  await chmod(folder, 0o755);
  const server = fork(join(import.meta.dirname, 'postgres-process.ts'), [folder], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const ended = once(server, 'exit');
  return {
    note: join(folder, 'url'),
    async stop() {
      if (server.connected) server.disconnect();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Starts one real Postgres for the whole run, before all tests. One per file would cost three seconds each, and two files that
 * begin at once on a new machine would both create its user, so that one of them fails. Most files need no Postgres.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { note, stop } = await servePostgres(await roomy());
  project.provide('postgres', note);
  return stop;
}
