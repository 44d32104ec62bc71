/** One life of the bot, from its data client to its notifiers. Its parent process afflicts and ends it. */
import { flushCompileCache } from 'node:module';
import { pino } from 'pino';
import { Agent } from 'undici';
import { keepExamined } from '#src/database/keep-examined.ts';
import { steadyClock, type WallClock, wallClock } from '#src/runtime/clock.ts';
import { createTrueTime } from '#src/runtime/true-time.ts';
import { openStore } from '#src/store/open.ts';
import { openOutlets } from '../kill/outlets.ts';
import { startParts } from './bot-parts.ts';

export interface Life {
  readonly database: string;
  readonly dataUrl: string;
  /** Options of the notifiers in use, by name. */
  readonly notifiers: Readonly<Record<string, object>>;
  /** Market seconds between two steps of a storm. */
  readonly every: number;
  /** Ms for which the roles of a killed process stay taken. */
  readonly ttl: number;
}

/** What a parent can do to a life besides ending and stopping it. */
export type Affliction =
  /** Sets the clock wrong by so many ms. */
  | { readonly jump: number }
  /** Makes the process run out of memory. */
  | { readonly exhaust: true };

/** What a life says: that it is up, and how long it has been able to go on, ms. */
export type Said = { readonly up: true } | { readonly own: number };

/** How often a life says how long it has been able to go on, ms. Time in which it had no processor does not count. */
const beat = 250;

/** How many times as fast as usual the database is examined. */
const haste = 30;

const life = JSON.parse(process.argv[2] ?? '') as Life;
let wrong = 0;
const machine: WallClock = { ...wallClock, now: () => wallClock.now() + wrong };
const say = (said: Said) => process.send?.(said);
process.on('message', (affliction: Affliction) => {
  if ('jump' in affliction) wrong = affliction.jump;
  else for (const kept: unknown[] = []; ; ) kept.push(Array.from({ length: 1_000 }, () => ({})));
});
// The parent has ended.
process.once('disconnect', () => process.exit(1));
if (!process.connected) process.exit(1);
let own = 0;
setInterval(() => {
  own += beat;
  say({ own });
}, beat);

const log = pino({ level: 'error' }, pino.destination(2));
const { wall } = createTrueTime(machine, { log });
const store = await openStore(life.database);
// A killed process leaves its compiled code behind too, so that later lives start sooner.
flushCompileCache();
await startParts({
  store,
  wall,
  steady: steadyClock,
  log,
  random: Math.random,
  baseUrl: life.dataUrl,
  http: new Agent(),
  every: life.every,
  outlets: await openOutlets(life.notifiers, { now: wall.now, wall, log }),
  ttl: life.ttl,
});
// Looked at more often than the bot does, so that short faults are seen.
const hastened: WallClock = {
  now: () => haste * steadyClock.now(),
  sleep: (ms, signal) => wallClock.sleep(ms / haste, signal),
};
keepExamined({ database: store, look: store.look, wall: hastened, steady: hastened, log });
say({ up: true });
