import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { argumentsFor } from '../../../bin/tocsin.js';

const root = resolve(import.meta.dirname, '../../..');

/** The flags that `npm start` gives to node. */
export const flags = argumentsFor(['start']).filter((word) => word.startsWith('--'));

/** A running `npm start` or `npm run serve`, without npm and without the developer's own environment. */
export interface Program {
  readonly pid: number;
  /** Returns the last 20,000 characters that it has written, to stdout and stderr. */
  output(): string;
  /** Kills the process, as a crash would end it. */
  kill(): Promise<void>;
  /** Stops the process, as Ctrl-C would; kills it if it does not end. */
  stop(): Promise<void>;
}

/** Ms in which a stopped process must end by itself. */
const grace = 15_000;

type Environment = Readonly<Record<string, string>>;

/** @param environment added to PATH; no other variables are passed on */
export const startProgram = (args: readonly string[], environment: Environment): Program =>
  run(args, { environment, execArgv: flags });

function run(
  args: readonly string[],
  { environment, execArgv }: { readonly environment: Environment; readonly execArgv: readonly string[] },
): Program {
  const child = fork(join(root, 'src/app/main.ts'), args, {
    // Not in the project's folder, because the developer's `.env` there may hold real tokens.
    cwd: tmpdir(),
    env: { PATH: process.env.PATH ?? '', ...environment },
    execArgv: [...execArgv],
    silent: true,
  });
  // The output is limited, because a program that is measured for minutes writes much.
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text) => {
      output = (output + String(text)).slice(-20_000);
    });
  }
  const ended = once(child, 'exit');
  return {
    // Undefined only if there is no such program, which then is a rejection of `ended`.
    pid: child.pid ?? 0,
    output: () => output,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    stop: () => stop(child, ended),
  };
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const killing = setTimeout(() => child.kill('SIGKILL'), grace);
  await ended;
  clearTimeout(killing);
}

/** Runs the work with a folder for its databases, which is removed afterwards. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Asks until there is a value. @throws if there is none within `within` ms, with what the program wrote */
export async function eventually<Value>(
  what: string,
  ask: () => Promise<Value | undefined>,
  { within, every = 50, program }: { within: number; every?: number; program: Program },
): Promise<Value> {
  const until = performance.now() + within;
  for (;;) {
    const value = await ask().catch(() => undefined);
    if (value !== undefined) return value;
    if (performance.now() > until) {
      throw new Error(`${what}: not within ${within / 1_000} s. The program wrote:\n${program.output()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, every));
  }
}

/** Returns true once the URL responds with a 2xx status. */
export const answers = async (url: string): Promise<true | undefined> =>
  (await fetch(url, { signal: AbortSignal.timeout(5_000) })).ok ? true : undefined;

/** Returns the load of the machine as a figure, because other work on it makes every time longer. */
export const load = () => ({
  name: 'load of the machine, a minute’s mean',
  value: loadavg()[0] ?? 0,
  unit: '',
});

/** Returns the processor time of this process since `before`, ms. */
export function processorSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
