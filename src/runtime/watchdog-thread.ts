import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { steadyClock, wallClock } from './clock.ts';
import type { WatchdogData } from './watchdog.ts';

const { turns, every, looks } = workerData as WatchdogData;

let seen = -1;
let unchangedLooks = 0;
let looked = steadyClock.now();
setInterval(() => {
  const now = steadyClock.now();
  const slept = now - looked > 3 * every;
  looked = now;
  const turned = Atomics.load(turns, 0);
  const debugged = Atomics.load(turns, 1) === 1;
  unchangedLooks = turned === seen && !slept && !debugged ? unchangedLooks + 1 : 0;
  seen = turned;
  if (unchangedLooks < looks) return;
  const msg = 'the event loop has not turned for minutes: the process is ended, so that it is started anew';
  // As the log writes its lines (log.ts).
  const time = new Date(wallClock.now()).toISOString();
  writeSync(2, `${JSON.stringify({ level: 60, time, pid: process.pid, msg })}\n`);
  process.kill(process.pid, 'SIGKILL');
}, every);
