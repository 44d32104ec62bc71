import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { vi } from 'vitest';
import { patience } from './patience.ts';

const main = join(import.meta.dirname, '../../src/app/main.ts');
const args = ['--disable-warning=ExperimentalWarning', main];

type Env = Readonly<Record<string, string>>;

/** Child processes get only PATH and the folder of compiled code (vitest.config.ts) from the environment of the test runner. */
const { PATH, NODE_COMPILE_CACHE } = process.env;
const environment = { PATH, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) };

/** Runs the command line in a child process until it ends. Returns its exit code and output. */
export const run = (folder: string, words: readonly string[], env: Env = {}) =>
  new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const options = { cwd: folder, timeout: patience, env: { ...environment, ...env } };
    execFile(process.execPath, [...args, ...words], options, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    );
  });

let runs = 0;
/**
 * Runs the command line in this process, because a child process needs about a second to load. Imports main.ts itself; only for
 * commands that start no thread, socket or signal handler.
 */
export async function runHere(folder: string, words: readonly string[], env: Env = {}) {
  const written = { out: '', err: '' };
  const before = { env: process.env, argv: process.argv, cwd: process.cwd() };
  const listeners = process.stdout.listeners('error');
  const take = (of: keyof typeof written) =>
    ((text: string, done?: () => void) => {
      written[of] += text;
      done?.();
      return true;
    }) as typeof process.stdout.write;
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(take('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(take('err')),
    vi.spyOn(process, 'exit').mockImplementation((() => {}) as typeof process.exit),
  ];
  process.env = { ...environment, ...env };
  process.argv = [process.execPath, main, ...words];
  process.chdir(folder);
  runs += 1;
  try {
    // Importing main.ts runs it, so each import needs a new URL.
    await import(/* @vite-ignore */ `${main}?run=${runs}`);
    return { code: Number(process.exitCode ?? 0), ...written };
  } finally {
    for (const spy of spies) spy.mockRestore();
    for (const listener of process.stdout.listeners('error') as (() => void)[])
      if (!listeners.includes(listener)) process.stdout.off('error', listener);
    process.exitCode = undefined;
    process.env = before.env;
    process.argv = before.argv;
    process.chdir(before.cwd);
  }
}

/**
 * Starts the command line in a child process. Resolves with the process as soon as its output matches `line`; `until` waits for
 * further output.
 */
export async function begin(folder: string, words: readonly string[], env: Env, line: RegExp) {
  const child: ChildProcess = spawn(process.execPath, [...args, ...words], {
    cwd: folder,
    env: { ...environment, ...env },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const written: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => void written.push(String(chunk)));
  const until = (wanted: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => wanted.test(written.join('')) && resolve();
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', look);
      void ended.then(() => reject(new Error(`it ended before: ${written.join('')}`)));
      look();
    });
  await until(line);
  return {
    pid: Number(child.pid),
    written: () => written.join(''),
    until,
    /** Resolves when the process has ended. */
    ended,
    /** Returns the exit code; null while the process runs, or if a signal has ended it. */
    exitCode: () => child.exitCode,
    async kill(signal: NodeJS.Signals = 'SIGKILL') {
      child.kill(signal);
      await ended;
    },
  };
}
