#!/usr/bin/env node
// Starts Tocsin: every script, image and unit begins here. Plain JavaScript that Node.js 20 reads, because an older Node.js than
// ours refuses a .ts file before any of our code has run. `npm ci` installs the Node.js that everything runs on into the project;
// where that is not the one that reads this file, as with npm 10, which leaves its link out, this starts it.
//
//   node bin/tocsin.js [COMMAND …]      a command of Tocsin's (--help lists them)
//   node bin/tocsin.js node FILE …      any other program on the same Node.js
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The first major version of Node.js with Temporal. */
const oldest = 26;
const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * What each command gives to Node.js: a long-running process keeps less memory that it might need again.
 * @type {Record<string, string[]>}
 */
const flags = {
  start: ['--max-semi-space-size=2', '--heap-growing-percent=30', '--no-parallel-scavenge'],
  serve: ['--max-semi-space-size=8', '--heap-growing-percent=50'],
};

/**
 * Returns what Node.js is started with for these words.
 * @param {readonly string[]} words
 */
export function argumentsFor([command = 'start', ...rest]) {
  if (command === 'node') return rest;
  // V8 rejects code that was compiled with other flags.
  const given = flags[command === 'prepare' ? 'start' : command] ?? [];
  return [...given, '--disable-warning=ExperimentalWarning', `${root}src/app/main.ts`, command, ...rest];
}

function programToUse() {
  if (Number.parseInt(process.versions.node, 10) >= oldest) return process.execPath;
  const { platform, arch } = process;
  const program = platform === 'win32' ? 'bin/node.exe' : 'bin/node';
  const installed = ['node', 'node-bin']
    .map(
      (name) => `${root}node_modules/${name}-${platform === 'win32' ? 'win' : platform}-${arch}/${program}`,
    )
    .find((path) => existsSync(path));
  if (installed !== undefined) return installed;
  process.stderr.write(
    `Tocsin needs Node.js ${oldest} or newer, and this is ${process.versions.node}: run "npm ci", which brings one into the project (without --omit=optional), and start it again.\n`,
  );
  process.exit(78);
}

/** @param {readonly string[]} words */
function run(words) {
  const program = programToUse();
  const args = argumentsFor(words);
  // Stripping the types of 300 files costs each thread half a second and 25 MB, so Node.js keeps the stripped code.
  const env = { NODE_COMPILE_CACHE: `${root}data/compile-cache`, ...process.env };
  try {
    // Also the folder of the databases. Whoever creates it first makes it its owner's alone.
    mkdirSync(`${root}data`, { recursive: true, mode: 0o700 });
  } catch {
    // Nothing is cached then; where the databases lie is checked later.
  }
  // The same process goes on as that program, so that signals reach it.
  if (process.execve !== undefined && process.platform !== 'win32')
    process.execve(program, [program, ...args], env);
  const child = spawn(program, args, { stdio: 'inherit', env });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`${program} cannot be started: ${error.message}\n`);
    process.exit(78);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  run(process.argv.slice(2));
