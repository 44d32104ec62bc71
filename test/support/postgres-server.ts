import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { temporaryFolder } from './temporary-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * Path of a file with the URL of the run's Postgres, or with the reason why there is none; written as soon as it is known.
     */
    postgres: string;
  }
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
  const { note, stop } = await servePostgres(temporaryFolder());
  project.provide('postgres', note);
  return stop;
}
