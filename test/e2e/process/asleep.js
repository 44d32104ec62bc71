// Loaded into a program whose machine shall sleep: each line on stdin is a sleep, ms. As on a real machine, the wall clock and the
// uptime go on meanwhile, and the monotonic clock stands still. Plain JavaScript, as the program may be started by an older Node.js.
import { writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { createInterface } from 'node:readline';
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.argv[1]?.endsWith('main.ts')) {
  const { now } = Date;
  const { uptime } = os;
  let slept = 0;
  Date.now = () => now() + slept;
  os.uptime = () => uptime() + slept / 1_000;
  syncBuiltinESMExports();
  createInterface({ input: process.stdin }).on('line', (line) => {
    slept += Number(line);
    writeSync(1, `awake at ${slept}\n`);
  });
  process.stdin.unref();
}
