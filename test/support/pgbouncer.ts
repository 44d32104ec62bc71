import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ownFolder } from './folder.ts';
import { pgbouncer } from './needs.ts';

/** Part of the name of the Unix socket; nothing listens on a TCP port. */
const socket = 6_432;

/**
 * Starts PgBouncer in transaction mode in front of a database for one test, and returns the URL through it. It has fewer
 * connections to the server than a client has to PgBouncer, so that the statements of one client use all of them.
 */
export async function throughPgBouncer(url: string): Promise<string> {
  const { hostname, port, username, password } = new URL(url);
  const folder = await ownFolder();
  const settings = join(folder, 'pgbouncer.ini');
  await writeFile(
    settings,
    `[databases]
* = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr =
listen_port = ${socket}
unix_socket_dir = ${folder}
auth_type = any
pool_mode = transaction
default_pool_size = 3
max_client_conn = 100
`,
  );
  // PgBouncer does not run as root and creates its socket in this folder.
  await chmod(folder, 0o777);
  const asRoot = process.getuid?.() === 0;
  const child = spawn(pgbouncer, [...(asRoot ? ['-u', 'postgres'] : []), settings], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      said += chunk;
      if (said.includes('process up')) resolve();
    });
    void ended.then(() => reject(new Error(`PgBouncer has ended: ${said}`)));
  });
  const through = new URL(url);
  through.searchParams.set('host', folder);
  through.searchParams.set('port', String(socket));
  return through.href;
}
