/** One life of the bot, from its database to its notifiers. Its parent process ends it. */
import { flushCompileCache } from 'node:module';
import { pino } from 'pino';
import { Agent } from 'undici';
import { createClient } from '#src/client/create-client.ts';
import { startPipeline } from '#src/pipeline/pipeline.ts';
import { createWatch } from '#src/pipeline/watch.ts';
import { marketClock, steadyClock, wallClock } from '#src/runtime/clock.ts';
import { type HeldRole, keepRole } from '#src/runtime/role.ts';
import { createSchedule } from '#src/runtime/schedule.ts';
import { day, second } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import { openOutlets } from './outlets.ts';
import { storms } from './storm.ts';

export interface Life {
  readonly database: string;
  readonly dataUrl: string;
  /** Options of the notifiers in use, by name. */
  readonly notifiers: Readonly<Record<string, object>>;
  /** Mapping of wall time to market time; market time goes on through all lives. */
  readonly market: { readonly market: number; readonly wall: number; readonly speed: number };
  /** False: the process polls nothing, sends what is left and ends by itself. */
  readonly watch: boolean;
  /** Ms for which the roles of a killed process stay taken; default: half a second. */
  readonly ttl?: number;
}

const life = JSON.parse(process.argv[2] ?? '') as Life;
const wall = wallClock;
// The parent has ended.
process.once('disconnect', () => process.exit(1));
if (!process.connected) process.exit(1);
const market = marketClock(wall, life.market);
const log = pino({ level: 'error' }, pino.destination(2));
const store = await openStore(life.database);

const outlets = await openOutlets(life.notifiers, { now: market.now, wall, log });

/** Ms for which the roles of a killed process stay taken if several processes share the database. */
const ttl = life.ttl ?? second / 2;
const roles = { leases: store.leases, wall, steady: steadyClock, log, ttl };

// A killed process leaves its compiled code behind too, so that later lives start sooner.
flushCompileCache();

const pipeline = await startPipeline({
  store,
  outlets,
  inhibitRules: [],
  expireAfter: 365 * day,
  // Smaller than the number of subscriptions, so that a kill can interrupt an expansion between two pages.
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
  const start = ({ lease, isHeld }: HeldRole) =>
    watch.start(
      {
        dispatch: (detector, { state, changes }) =>
          pipeline.dispatch(detector, { state, changes, watching: lease }),
      },
      isHeld,
    );
  const watching = await keepRole('watch', roles, start);
  process.once('SIGTERM', async () => {
    await watching.stop();
    await pipeline.stop();
    await store.close();
    process.exit(0);
  });
  process.send?.('up');
} else {
  // In the order in which alerts go: what is expanded between the two questions is found by the second.
  const waiting = async () =>
    (await store.expansion.next()).length > 0 || (await store.outbox.backlog()).waiting > 0;
  while (await waiting()) await wall.sleep(20);
  await pipeline.stop();
  await store.close();
  process.exit(0);
}
