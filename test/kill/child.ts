/** One life of the bot, from its database to its notifiers. Its parent ends it when and how it likes. */
import { flushCompileCache } from 'node:module';
import { pino } from 'pino';
import { Agent } from 'undici';
import { createClient } from '#src/client/create-client.ts';
import { createPace } from '#src/pace/pace.ts';
import { startPipeline } from '#src/pipeline/pipeline.ts';
import { createWatch } from '#src/pipeline/watch.ts';
import type { Platform } from '#src/platforms/platform.ts';
import { marketClock, steadyClock, type WallClock, wallClock } from '#src/runtime/clock.ts';
import { keepRole, type HeldRole } from '#src/runtime/role.ts';
import { createSchedule } from '#src/runtime/schedule.ts';
import { day, second } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import { notifierPorts } from '#test/support/ports.ts';
import { storms } from './storm.ts';

export interface Life {
  readonly database: string;
  readonly dataUrl: string;
  /** Options of the notifiers in use, by name. */
  readonly notifiers: Readonly<Record<string, object>>;
  /** Market time goes on through all lives. */
  readonly market: { readonly market: number; readonly wall: number; readonly speed: number };
  /** False: it polls nothing, sends what is left and ends by itself. */
  readonly watch: boolean;
  /** Ms for which it has its roles when it is killed; left out: half a second. */
  readonly ttl?: number;
}

/** What a parent may do to a life beside killing it. */
export type Affliction =
  /** Its clock is set wrong by so many ms. */
  | { readonly jump: number }
  /** It runs out of memory. */
  | { readonly exhaust: true };

const life = JSON.parse(process.argv[2] ?? '') as Life;
let wrong = 0;
const wall: WallClock = { ...wallClock, now: () => wallClock.now() + wrong };
process.on('message', (affliction: Affliction) => {
  if ('jump' in affliction) wrong = affliction.jump;
  else for (const kept: unknown[] = []; ; ) kept.push(Array.from({ length: 1_000 }, () => ({})));
});
// Whoever began it is no more.
process.once('disconnect', () => process.exit(1));
if (!process.connected) process.exit(1);
const market = marketClock(wall, life.market);
const log = pino({ level: 'error' }, pino.destination(2));
const store = await openStore(life.database);

// No pace: the doubles set no limits, and what matters here comes sooner.
const pace = createPace({}, wall);
const ports = notifierPorts({ now: market.now, pace, log });
const outlets = Object.entries(life.notifiers).map(async ([name, options]) => {
  const { default: platform }: { default: Platform } = await import(`#src/platforms/${name}/platform.ts`);
  const connection = platform.notifier(platform.options.parse(options), ports);
  return { name, connection, concurrency: platform.limits.concurrency, pace };
});

/** Those who are killed have their roles no longer than this, where they are not alone with a file. */
const ttl = life.ttl ?? second / 2;
const roles = { leases: store.leases, wall, steady: steadyClock, log, ttl };

// Whoever is killed leaves its compiled code behind too, so that later lives begin sooner.
flushCompileCache();

const pipeline = await startPipeline({
  store,
  outlets: await Promise.all(outlets),
  inhibitRules: [],
  expireAfter: 365 * day,
  // Less than there are subscriptions: expansion can be cut in two.
  pageSize: 3,
  now: market.now,
  wall,
  steady: steadyClock,
  ttl,
  random: Math.random,
  source: () => 'simulated',
  log,
  count: () => {},
});

if (life.watch) {
  const client = createClient({
    baseUrl: life.dataUrl,
    wall,
    market: () => market,
    budget: { limit: 1_000_000, window: second, reserve: 0, log: store.requests },
    timeouts: { attempt: 5 * second, patience: second },
    maxBody: 10_000,
    random: Math.random,
    http: new Agent(),
  });
  const watch = createWatch({
    watched: storms.map((detector) => ({
      detector,
      options: {},
      schedule: createSchedule(detector.schedule),
    })),
    data: client.polls,
    store,
    market: () => market,
    wall,
    log,
  });
  const start = ({ lease }: HeldRole) =>
    watch.start({
      dispatch: (detector, { state, changes }) =>
        pipeline.dispatch(detector, { state, changes, watching: lease }),
    });
  const watching = await keepRole('watch', { ...roles, start });
  process.once('SIGTERM', async () => {
    await watching.stop();
    await pipeline.stop();
    await store.close();
    process.exit(0);
  });
  process.send?.('up');
} else {
  const waiting = async () =>
    (await store.outbox.backlog()).waiting > 0 || (await store.expansion.next()).length > 0;
  while (await waiting()) await wall.sleep(20);
  await pipeline.stop();
  await store.close();
  process.exit(0);
}
