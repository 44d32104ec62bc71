import { execFile, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { postgresBin } from './needs.ts';
import { query, type Server } from './postgres.ts';

/** Part of the name of the Unix socket; nothing listens on a TCP port. */
const socket = 5_432;

/**
 * Starts Debian's Postgres with TimescaleDB. Each new database has the extension, and its owner, who uses it, is no superuser.
 */
export async function startTimescale(): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-timescale-'));
  const user = unprivileged();
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  await chmod(folder, 0o755);
  const data = join(folder, 'data');
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '--locale=C.UTF-8'];
  await promisify(execFile)(join(postgresBin, 'initdb'), initdb, { cwd: folder, ...user });
  const settings = {
    unix_socket_directories: folder,
    listen_addresses: '',
    port: socket,
    fsync: 'off',
    shared_preload_libraries: 'timescaledb',
    'timescaledb.telemetry_level': 'off',
  };
  const server = spawn(
    join(postgresBin, 'postgres'),
    ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], ...user },
  );
  const ended = once(server, 'exit');
  const stop = async () => {
    // Stops at once even if clients are connected.
    server.kill('SIGQUIT');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  let said = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (chunk) => {
      said += chunk;
      if (said.includes('ready to accept connections')) resolve();
    });
    void ended.then(() => reject(new Error(`Postgres has ended: ${said}`)));
  });
  const urlOf = (name: string, role: string) =>
    `postgres://${role}@localhost:${socket}/${name}?host=${folder}`;
  await query(urlOf('postgres', 'postgres'), 'create role archive login');
  return {
    async fresh(prefix = 'test') {
      const name = `${prefix}_${randomUUID().replaceAll('-', '')}`;
      // From template0, because the extension's background worker connects to every database that allows it, and a template in
      // use cannot be copied.
      await query(urlOf('postgres', 'postgres'), `create database ${name} owner archive template template0`);
      const url = urlOf(name, 'archive');
      await query(url, 'create extension timescaledb');
      return url;
    },
    stop,
  };
}

/** Returns the user that Postgres runs as if this process is root, because Postgres refuses to run as root. */
function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
