import { pino } from 'pino';
import { Agent } from 'undici';
import type { Alert } from '#src/alert/alert.ts';
import { createClient } from '#src/client/create-client.ts';
import { noRequestLog } from '#src/client/request-budget.ts';
import type { Detector } from '#src/detectors/detector.ts';
import { createWatch } from '#src/pipeline/watch.ts';
import { type MarketClock, wallClock } from '#src/runtime/clock.ts';
import { createSchedule } from '#src/runtime/schedule.ts';
import { Secret } from '#src/runtime/secret.ts';
import { minute, second } from '#src/runtime/units.ts';
import { createAccess } from '#src/service/access/access.ts';
import { interfaceLimits } from '#src/service/access/limit.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { trackedSymbols } from '#src/service/collecting/universe.ts';
import { answerWith, createFigures } from '#src/service/handlers/handler.ts';
import { feedsOf, handlers } from '#src/service/handlers/index.ts';
import { createBodies } from '#src/service/http/kept-bodies.ts';
import { createMetrics } from '#src/service/http/metrics.ts';
import { apiRoot, createServer } from '#src/service/http/server.ts';
import { subscription } from '../support/alerts.ts';
import { pipelineFixture } from '../support/pipeline.ts';
import { rule } from '../support/rules.ts';

export interface LiveDetector {
  readonly detector: Detector;
  readonly options: unknown;
  readonly schedule: string;
}

interface LiveRun {
  readonly alerts: readonly Alert[];
  /** Those of the rules of `rule`'s place. */
  readonly own: readonly Alert[];
  /** The time of the data, market ms, of each message that a subscriber to everything was sent. */
  readonly messages: readonly number[];
}

const silent = pino({ level: 'silent' });
const key = new Secret(`tocsin_${'0123456789abcdef'.repeat(4)}`);

/**
 * Runs the bot from the data service's socket to the messages of a subscriber: server, client, watch and pipeline, on a market clock that
 * moves to the next tick as soon as all work is done.
 */
export async function runLive(
  archiveUrl: string,
  detectors: readonly LiveDetector[],
  { from, to }: { readonly from: number; readonly to: number },
): Promise<LiveRun> {
  await using started = new AsyncDisposableStack();
  let now = from;
  const market: MarketClock = { now: () => now, speed: 1_000, wallUntil: () => 0 };

  const archive = await openArchive(archiveUrl);
  started.defer(() => archive.close());
  const universe = await trackedSymbols(archive);
  const figures = createFigures();
  const server = createServer({
    bodies: createBodies({
      clock: market,
      feedsOf,
      build: (name, query) =>
        answerWith(handlers[name], {
          query,
          context: {
            archive,
            figures,
            now,
            universe,
            feeds: async () => [],
            state: {
              source: 'simulated',
              speed: 1,
              ready: true,
              backfill: 1,
              version: '',
              sourceOf: () => 'simulated',
            },
          },
        }),
    }),
    access: createAccess({
      store: { key: async () => undefined, session: async () => undefined },
      wall: wallClock,
      processKey: key,
    }).authenticate,
    login: async () => ({ kind: 'refused' }) as never,
    limits: interfaceLimits,
    trustedProxies: [],
    clock: market,
    wall: wallClock,
    steady: wallClock,
    metrics: createMetrics(),
    ready: () => true,
    progress: () => 1,
    stale: () => false,
    ping: () => archive.ping(),
    log: silent,
  });
  const origin = await server.listen({ host: '127.0.0.1', port: 0 });
  started.defer(() => server.close());

  const http = new Agent();
  started.defer(() => http.destroy());
  const client = createClient({
    baseUrl: `${origin}${apiRoot}`,
    apiKey: key,
    wall: wallClock,
    market: () => market,
    http,
    budget: {
      limit: 1e9,
      window: minute,
      reserve: 0,
      log: noRequestLog,
    },
    timeouts: { attempt: 10 * second, patience: second },
    maxBody: 4_000_000,
    random: () => 0.5,
  });
  started.defer(async () => client.close());

  const { clock, store, pipeline, sent, close } = await pipelineFixture({
    now: () => now,
    universe: () => universe,
  });
  started.defer(close);
  await store.subscriptions.add(subscription());

  let underWay = 0;
  const ended = async <Result>(work: Promise<Result>): Promise<Result> => {
    underWay += 1;
    try {
      return await work;
    } catch (error) {
      underWay -= 1;
      throw error;
    }
  };
  const watch = createWatch({
    watched: detectors.map(({ detector, options, schedule }) => ({
      detector: { ...detector, observe: (context) => ended(detector.observe(context)) },
      options,
      schedule: createSchedule(schedule),
    })),
    data: client.polls,
    store,
    market: () => market,
    wall: clock,
    log: silent,
    universe: () => universe,
  }).start({
    async dispatch(detector, { state, changes, watching }) {
      await pipeline.dispatch(detector, { state, changes, watching });
      underWay -= 1;
    },
  });
  started.defer(() => watch.stop());

  const ticks = new Set(detectors.flatMap(({ schedule }) => [...createSchedule(schedule).within(from, to)]));
  for (const tick of [...ticks].sort((a, b) => a - b)) {
    now = tick;
    await clock.advance(50);
    while (underWay > 0) await new Promise((resolve) => setImmediate(resolve));
    // Waits for what follows the dispatch within the watch.
    await new Promise((resolve) => setImmediate(resolve));
  }
  // What waits to be grouped is sent.
  now += minute;
  await clock.advance(second);
  return {
    alerts: await store.alerts.recent(100_000),
    own: (await store.log.page({ receiver: rule().receiver, limit: 100_000 })).flatMap(({ alert }) =>
      alert.only === undefined ? [] : [alert],
    ),
    messages: sent.flatMap(({ act, notification }) =>
      act === 'send' ? (notification.card.dataTime ?? []) : [],
    ),
  };
}
