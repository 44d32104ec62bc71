import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { postgresBin } from './needs.ts';

/** Part of the name of the Unix socket; nothing listens on a TCP port. */
const socket = 5_432;

/** Starts Debian's Postgres, which brings the programs that the embedded one lacks. Everybody is trusted. */
export async function startDebianPostgres(settings: Readonly<Record<string, string>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-debian-postgres-'));
  const user = unprivileged();
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  await chmod(folder, 0o755);
  const data = join(folder, 'data');
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '--locale=C.UTF-8'];
  await promisify(execFile)(join(postgresBin, 'initdb'), initdb, { cwd: folder, ...user });
  const all = {
    unix_socket_directories: folder,
    listen_addresses: '',
    port: socket,
    fsync: 'off',
    ...settings,
  };
  const server = spawn(
    join(postgresBin, 'postgres'),
    ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], ...user },
  );
  const ended = once(server, 'exit');
  let said = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (chunk) => {
      said += chunk;
      if (said.includes('ready to accept connections')) resolve();
    });
    void ended.then(() => reject(new Error(`Postgres has ended: ${said}`)));
  });
  return {
    /** The folder of the socket: the host, for programs of Postgres. */
    folder,
    urlOf: (database: string, role: string) =>
      `postgres://${role}@localhost:${socket}/${database}?host=${folder}`,
    async stop() {
      // Stops at once even if clients are connected.
      server.kill('SIGQUIT');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the user that Postgres runs as if this process is root, because Postgres refuses to run as root. */
function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
