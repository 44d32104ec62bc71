/** The measured process: the watch, the pipeline and the store over a database full of subscriptions. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pino } from 'pino';
import { z } from 'zod';
import type { Change } from '#src/alert/alert.ts';
import { defineDetector } from '#src/detectors/detector.ts';
import { startPipeline } from '#src/pipeline/pipeline.ts';
import { createWatch } from '#src/pipeline/watch.ts';
import discord from '#src/platforms/discord/platform.ts';
import type { Connection } from '#src/platforms/notifier.ts';
import { marketClock, steadyClock, wallClock } from '#src/runtime/clock.ts';
import { createPace } from '#src/runtime/pace.ts';
import { createSchedule } from '#src/runtime/schedule.ts';
import { minute } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import { change } from '#test/support/alerts.ts';

/** The request to the process, in its first argument, as JSON. */
export interface FanOut {
  readonly url: string;
  readonly subscriptions: number;
  /** Number of subscriptions that each alert must reach. Alert n is about symbol `S<n>USDT`. */
  readonly expected: readonly number[];
  /** When an alert is finished: once all is enqueued; if left out, once all is delivered. */
  readonly until?: 'enqueued';
}

/** The response of the process. Times are ms since the poll was answered. */
export interface FannedOut {
  readonly first: readonly number[];
  readonly enqueued: readonly number[];
  readonly delivered: readonly number[];
  /** Delay of the event loop, ms. */
  readonly delay: { readonly p99: number; readonly max: number };
  /** Processor time of the whole process while it delivered, µs. */
  readonly processor: number;
  /** Number of messages that were sent. */
  readonly messages: number;
  /** Peak resident memory, bytes. */
  readonly peakMemory: number;
  /** Number of messages that came twice, or to a receiver that they were not meant for. */
  readonly wrong: number;
}

const resolution = 1;
const { url, subscriptions, expected, until }: FanOut = JSON.parse(process.argv[2] ?? '');

const times = { first: [] as number[], enqueued: [] as number[], delivered: [] as number[] };
let polled = 0;
let sent = 0;
let messages = 0;
let wrong = 0;
let reached = new Uint8Array(subscriptions);
let allDelivered = Promise.withResolvers<void>();
let next = Promise.withResolvers<readonly Change[]>();

const store = await openStore(url);
const watched: typeof store = {
  ...store,
  under(lease) {
    const own = store.under(lease);
    const enqueue: typeof own.expansion.enqueue = async (...given) => {
      await own.expansion.enqueue(...given);
      if (given[1].next !== null) return;
      times.enqueued.push(performance.now() - polled);
      if (until === 'enqueued') allDelivered.resolve();
    };
    return { ...own, expansion: { ...own.expansion, enqueue } };
  },
};

/** A platform that answers at once, so that all measured time is spent in the bot. */
const connection: Connection = {
  async send({ id }, { address }) {
    const channel = Number(address.channel);
    if (sent === 0) times.first.push(performance.now() - polled);
    sent += 1;
    messages += 1;
    wrong += reached[channel] ?? 1;
    reached[channel] = 1;
    if (sent === expected[times.delivered.length]) {
      times.delivered.push(performance.now() - polled);
      allDelivered.resolve();
    }
    return id;
  },
};

const log = pino({ level: 'silent' });
/** A market clock that is fast, so that the next poll comes soon. */
const market = marketClock(wallClock, { market: wallClock.now(), wall: wallClock.now(), speed: 20 });
const pipeline = await startPipeline({
  store: watched,
  outlets: [
    { name: 'discord', connection, concurrency: discord.limits.concurrency, pace: createPace({}, wallClock) },
  ],
  inhibitRules: [
    { by: { kind: 'data-quality', minSeverity: 'critical' }, holds: ['funding-extreme', 'oi-momentum'] },
  ],
  expireAfter: 24 * 60 * minute,
  pageSize: 500,
  now: market.now,
  wall: wallClock,
  steady: steadyClock,
  random: Math.random,
  source: () => 'simulated',
  log,
  count: () => {},
});
/** Creates a detector. The first reports the changes that the bench gives it; the second polls as often and finds nothing. */
const detector = (name: string, observe: () => Promise<readonly Change[]>) =>
  defineDetector({
    name,
    description: name,
    preset: 'standard',
    schedule: '* * * * * *',
    options: z.object({}),
    state: z.object({ runs: z.number() }),
    observe,
    step: (state, changes) => ({ state: { runs: (state?.runs ?? 0) + 1 }, changes }),
  });
const watch = createWatch({
  watched: [
    detector('funding-extreme', async () => {
      const changes = await next.promise;
      next = Promise.withResolvers();
      polled = performance.now();
      return changes;
    }),
    detector('oi-momentum', async () => []),
  ].map((each) => ({ detector: each, options: {}, schedule: createSchedule(each.schedule) })),
  data: {} as Parameters<typeof createWatch>[0]['data'],
  store,
  market: () => market,
  wall: wallClock,
  log,
}).start(pipeline);

const usedBefore = process.cpuUsage();
const monitor = monitorEventLoopDelay({ resolution });
monitor.enable();
for (const n of expected.keys()) {
  reached = new Uint8Array(subscriptions);
  sent = 0;
  allDelivered = Promise.withResolvers();
  next.resolve([change({ symbol: `S${n}USDT` })]);
  await allDelivered.promise;
}
monitor.disable();
const { user, system } = process.cpuUsage(usedBefore);
const delayed = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolution);
const stopped = watch.stop();
next.reject(new Error('nothing more is reported'));
await stopped;
await pipeline.stop();
await store.close();

const answer: FannedOut = {
  ...times,
  delay: { p99: delayed(monitor.percentile(99)), max: delayed(monitor.max) },
  processor: user + system,
  messages,
  peakMemory: process.resourceUsage().maxRSS * 1_024,
  wrong,
};
process.send?.(answer, () => process.exit());
