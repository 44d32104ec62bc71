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

/**
 * Before all tests: one real Postgres for the whole run. One for each file took three seconds each, and two files that
 * began at once on a new machine both created its user: the slower one failed, with all its tests. Not waited for, as
 * most files need none.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-postgres-'));
  // mkdtemp makes it its owner's alone, and Postgres may run as another user.
  await chmod(folder, 0o755);
  project.provide('postgres', join(folder, 'url'));
  const server = fork(join(import.meta.dirname, 'postgres-process.ts'), [folder], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const ended = once(server, 'exit');
  return async () => {
    if (server.connected) server.disconnect();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
}
