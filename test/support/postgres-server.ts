import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The file with the URL of the run's Postgres, or with why there is none; it comes when that is known. */
    postgres: string;
  }
}

/** A Postgres in a process of its own; not waited for: the file `note` holds its URL, or why there is none, once that is known. */
export async function servePostgres(): Promise<{ readonly note: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-postgres-'));
  // mkdtemp makes it its owner's alone, and Postgres may run as another user.
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
 * Before all tests: one real Postgres for the whole run. One for each file took three seconds each, and two files that
 * began at once on a new machine both created its user: the slower one failed, with all its tests. Most files need none.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { note, stop } = await servePostgres();
  project.provide('postgres', note);
  return stop;
}
