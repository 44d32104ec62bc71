import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stringify } from 'yaml';
import { freePort } from '../bench/measuring/program.ts';
import { etcd, patroni, postgresBin } from '../support/needs.ts';

/** A Postgres server under its own Patroni. */
export interface Member {
  readonly name: string;
  readonly port: number;
  /** URL of its Patroni's REST API: `/primary` responds with status 200 on the primary alone. */
  readonly rest: string;
  /** Kills Patroni and Postgres at once with SIGKILL, as if their machine died. */
  kill(): void;
}

export interface Cluster {
  readonly members: readonly Member[];
  /** Returns the URL of the database on this port of loopback. */
  url(port: number): string;
  /** Resolves with the primary once there is one. */
  primary(): Promise<Member>;
  /** Resolves once every commit of the primary waits for the other server. */
  synchronous(): Promise<void>;
  close(): Promise<void>;
}

const password = 'tocsin';
/** Ms to wait for an event; long enough for a slow machine. */
const patience = 180_000;

/** Whether the URL responds with a 2xx status. */
export async function says(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}

async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = Date.now() + patience; !(await holds()); await delay(100))
    if (Date.now() > end) throw new Error(`never: ${what}`);
}

/** Returns the ids of the user to run as: Postgres refuses to run as root. */
function asPostgres(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/**
 * Starts two Postgres servers on loopback, each under a Patroni; an etcd decides which of them is the primary. The primary
 * commits nothing that the other server does not have.
 */
export async function startCluster(): Promise<Cluster> {
  await using started = new AsyncDisposableStack();
  const user = asPostgres();
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-patroni-'));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  if (user !== undefined) execFileSync('chown', [`${user.uid}:${user.gid}`, folder]);
  const run = (command: string, args: readonly string[]): ChildProcess => {
    const child = spawn(command, args, {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: folder, ETCD_LOGGER: 'zap' },
      stdio: ['ignore', 'ignore', 'pipe'],
      ...user,
    });
    let said = '';
    child.stderr?.on('data', (chunk) => {
      said = (said + chunk).slice(-4_000);
    });
    // The server that it has started may outlive it and keep its output open, so 'exit' is awaited and not 'close'.
    const ended = once(child, 'exit').then(([code, signal]) => {
      if (signal !== 'SIGKILL' && code !== 0)
        process.stderr.write(`${command} ended with ${code ?? signal}: ${said}\n`);
    });
    started.defer(async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      const killing = setTimeout(() => child.kill('SIGKILL'), 20_000);
      await ended;
      clearTimeout(killing);
    });
    return child;
  };

  const [clients, peers] = [await freePort(), await freePort()].map((port) => `http://127.0.0.1:${port}`);
  run(etcd, [
    ...['--data-dir', join(folder, 'etcd'), '--log-level', 'error'],
    ...['--listen-client-urls', clients ?? '', '--advertise-client-urls', clients ?? ''],
    ...['--listen-peer-urls', peers ?? '', '--initial-advertise-peer-urls', peers ?? ''],
    ...['--initial-cluster', `default=${peers}`],
  ]);
  await until('etcd answers', () => says(`${clients}/health`));

  const begin = async (name: string): Promise<Member> => {
    const [port, rest] = [await freePort(), await freePort()];
    const data = join(folder, name);
    const sockets = join(folder, `${name}-sockets`);
    mkdirSync(sockets);
    chmodSync(sockets, 0o777);
    const settings = join(folder, `${name}.yml`);
    await writeFile(
      settings,
      stringify(settingsOf({ name, port, rest, data, sockets, etcd: clients ?? '' })),
    );
    const endPostgres = () => {
      const pid = postmaster(data);
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    };
    // Postgres outlives a Patroni that had no time to stop it.
    started.defer(endPostgres);
    const child = run(patroni, [settings]);
    return {
      name,
      port,
      rest: `http://127.0.0.1:${rest}`,
      kill() {
        child.kill('SIGKILL');
        endPostgres();
      },
    };
  };
  const first = await begin('a');
  await until('the first server is the primary', () => says(`${first.rest}/primary`));
  const second = await begin('b');
  const members = [first, second];
  const running = started.move();
  return {
    members,
    url: (port) => `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    async primary() {
      for (;;) {
        for (const member of members) if (await says(`${member.rest}/primary`)) return member;
        await delay(50);
      }
    },
    synchronous: () => until('the second server is in step', () => says(`${second.rest}/synchronous`)),
    close: () => running.disposeAsync(),
  };
}

/** Returns the process id of the server that runs on this folder; undefined if none runs. */
function postmaster(data: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    process.kill(pid, 0);
    return pid;
  } catch {
    return undefined;
  }
}

function settingsOf({
  name,
  port,
  rest,
  data,
  sockets,
  etcd: agreed,
}: Record<'name' | 'data' | 'sockets' | 'etcd', string> & Record<'port' | 'rest', number>): object {
  return {
    scope: 'tocsin',
    name,
    restapi: { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${rest}` },
    etcd3: { host: new URL(agreed).host },
    bootstrap: {
      dcs: {
        // Seconds after which a dead primary loses its role; 20 is the minimum that Patroni accepts.
        ttl: 20,
        loop_wait: 2,
        retry_timeout: 5,
        // A commit is on both servers or fails. With asynchronous replication the last commits could die with the primary.
        synchronous_mode: true,
        postgresql: { use_pg_rewind: false, parameters: { max_connections: 100 } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'no-sync'],
      pg_hba: [
        'local all all trust',
        'host all all 127.0.0.1/32 scram-sha-256',
        'host replication all 127.0.0.1/32 scram-sha-256',
      ],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: data,
      bin_dir: postgresBin,
      pgpass: join(sockets, 'pgpass'),
      authentication: {
        superuser: { username: 'postgres', password },
        replication: { username: 'follower', password },
      },
      parameters: { unix_socket_directories: sockets, shared_buffers: '32MB' },
    },
  };
}
