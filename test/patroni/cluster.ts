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

/** A server under its own Patroni. */
export interface Member {
  readonly name: string;
  readonly port: number;
  /** Where its Patroni is asked: `/primary` is 200 on the primary alone. */
  readonly rest: string;
  /** As its machine would die: Patroni and Postgres at once, with SIGKILL. */
  kill(): void;
}

export interface Cluster {
  readonly members: readonly Member[];
  /** URL of the database on this port of loopback. */
  url(port: number): string;
  /** Once there is one. */
  primary(): Promise<Member>;
  /** Resolves once the primary waits for the other with every commit. */
  synchronous(): Promise<void>;
  close(): Promise<void>;
}

const password = 'tocsin';
/** Until it comes, a busy machine's time, ms. */
const patience = 180_000;

/** Whether it answers 200. */
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

/** Postgres does not run as root. */
function asPostgres(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/**
 * Two Postgres servers on loopback, each under a Patroni, which agree by an etcd who of them is the primary. It commits nothing that
 * the other does not have.
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
    // Its output may be held open by the server that it has begun, and that outlives it.
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
    // It outlives a Patroni that had no time to stop it.
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

/** Of the server on this folder, where one runs. */
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
        // The least that Patroni takes: a dead primary's is over after so many seconds.
        ttl: 20,
        loop_wait: 2,
        retry_timeout: 5,
        // What was committed is on both, or it was not: asynchronous, the last of it would die with the primary.
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
