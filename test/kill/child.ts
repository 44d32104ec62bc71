/** One life of the bot, from its database to its webhooks. Its parent ends it when and how it likes. */
import { pino } from 'pino';
import { Agent } from 'undici';
import { createClient } from '#src/client/create-client.ts';
import webhook from '#src/notifiers/webhook.ts';
import { createPace } from '#src/pace/pace.ts';
import { startPipeline } from '#src/pipeline/pipeline.ts';
import { startWatch } from '#src/pipeline/watch.ts';
import { marketClock, wallClock } from '#src/runtime/clock.ts';
import { createSchedule } from '#src/runtime/schedule.ts';
import { day, second } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import { storms } from './storm.ts';

export interface Life {
  readonly database: string;
  readonly dataUrl: string;
  /** Market time goes on through all lives. */
  readonly market: { readonly market: number; readonly wall: number; readonly speed: number };
  /** False: it polls nothing, sends what is left and ends by itself. */
  readonly watch: boolean;
}

const life = JSON.parse(process.argv[2] ?? '') as Life;
const market = marketClock(wallClock, life.market);
const log = pino({ level: 'error' }, pino.destination(2));
const store = await openStore(life.database);
const options = webhook.options.parse({ secret: 'signs-what-the-storm-sends', allow: ['127.0.0.0/8'] });

const pipeline = await startPipeline({
  store,
  outlets: [
    {
      name: webhook.name,
      connection: webhook.connect(options, { clock: wallClock }),
      concurrency: webhook.limits.concurrency,
      pace: createPace({}, wallClock),
    },
  ],
  inhibitRules: [],
  expireAfter: 365 * day,
  // Less than there are subscriptions: expansion can be cut in two.
  pageSize: 3,
  now: market.now,
  wall: wallClock,
  random: Math.random,
  source: () => 'simulated',
  log,
  count: () => {},
});

if (life.watch) {
  const client = createClient({
    baseUrl: life.dataUrl,
    wall: wallClock,
    market: () => market,
    budget: { limit: 1_000_000, window: second, reserve: 0, log: store.requests },
    timeouts: { attempt: 5 * second, patience: second },
    maxBody: 10_000,
    random: Math.random,
    http: new Agent(),
  });
  startWatch({
    watched: storms.map((detector) => ({
      detector,
      options: {},
      schedule: createSchedule(detector.schedule),
    })),
    data: client.polls,
    store,
    pipeline,
    market: () => market,
    wall: wallClock,
    log,
  });
} else {
  const waiting = async () =>
    (await store.outbox.backlog()).waiting > 0 || (await store.expansion.next()) !== undefined;
  while (await waiting()) await wallClock.sleep(20);
  await pipeline.stop();
  await store.close();
  process.exit(0);
}
