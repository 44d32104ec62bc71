import type { Logger } from 'pino';
import type { Dispatcher } from 'undici';
import type { Receiver } from '#src/alert/subscription.ts';
import { boundMarket, createMarketBinding } from '#src/app/bind-market.ts';
import { openOwnRules } from '#src/app/own-rules.ts';
import { keepHeartbeat } from '#src/app/upkeep.ts';
import { createClient } from '#src/client/create-client.ts';
import { trackMeta } from '#src/client/meta.ts';
import { noRequestLog } from '#src/client/request-budget.ts';
import type { DataClient } from '#src/contract/data-client.ts';
import type { Detector } from '#src/detectors/detector.ts';
import { type PipelineOptions, startPipeline } from '#src/pipeline/pipeline.ts';
import { createWatch, type Watched } from '#src/pipeline/watch.ts';
import type { Clock, WallClock } from '#src/runtime/clock.ts';
import { startLoop } from '#src/runtime/loop.ts';
import { keepRole } from '#src/runtime/role.ts';
import { createSchedule } from '#src/runtime/schedule.ts';
import { day, second } from '#src/runtime/units.ts';
import { liveMarket } from '#src/store/market/bind-market.ts';
import type { Store } from '#src/store/ports.ts';
import { rule } from '#test/support/rules.ts';
import { storms } from '../kill/storm.ts';
import { involved } from './market.ts';

/** The service that every process’ configuration names. */
const config = { data: { url: 'http://market' } } as Parameters<typeof boundMarket>[0];

/** Binds a database to its market before the first process starts, as an earlier start of the bot would have. */
export const bindAtFirst = (
  store: Store,
  {
    source,
    ...claim
  }: { readonly source: string; readonly now: number; readonly wall: number; readonly speed: number },
): Promise<unknown> => store.market.bind(boundMarket(config, source), { ...claim, run: 'the one' });

/** The title of the alerts of the own rule that each receiver of the market's room has. */
export const ruleTitle = /dear bitcoin/;

/** Gives these receivers, which are the market's room on each platform, subscriptions and a rule. */
export async function subscribeToMarket(store: Store, receivers: readonly Receiver[]): Promise<void> {
  const kinds = involved.map(({ detector }) => detector.name);
  for (const receiver of receivers) {
    await store.subscriptions.add({
      ...{
        receiver,
        kinds,
        symbols: ['*'],
        minSeverity: 'info',
        quietHours: null,
        digest: null,
        mention: null,
      },
      ...{ paused: false, createdBy: 'test', createdAt: 0 },
    });
    const name = 'dear bitcoin';
    await store.rules.add(rule({ receiver, name, condition: 'price.last > 101000' }));
  }
}

/** A storm steps once in so many market seconds. */
const slowed = (detector: Detector, every: number): Watched => ({
  detector: { ...detector, groupWait: (detector.groupWait ?? 0) * every },
  options: {},
  schedule: createSchedule(
    every === 1 ? '* * * * * *' : every === 60 ? '0 * * * * *' : `*/${every} * * * * *`,
  ),
});

interface Parts extends Pick<PipelineOptions, 'outlets' | 'ttl'> {
  readonly store: Store;
  readonly wall: WallClock;
  readonly steady: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly baseUrl: string;
  readonly http: Dispatcher;
  /** Market seconds between two steps of a storm. */
  readonly every: number;
  /** Answers a storm's questions. Left out: the service does. */
  readonly stormData?: DataClient;
}

/** How often the service is asked about itself, wall ms: more often than the bot asks a hosted one, so that short lies are heard. */
const metaEvery = second;

/** Starts the bot from its data client to its notifiers, with what its start does, in its order (src/bot.ts). */
export async function startParts(parts: Parts): Promise<{ stop(): Promise<void> }> {
  const { store, wall, steady, log, random, http, baseUrl, every, stormData, outlets, ttl } = parts;
  const client = createClient({
    ...{ baseUrl, http, wall, steady, random },
    market: () => meta.market(),
    doubt: () => meta.doubt(),
    budget: { limit: 1_000_000, window: second, reserve: 0, log: noRequestLog },
    timeouts: { attempt: 5 * second, patience: second },
    maxBody: 1_000_000,
  });
  const bound = await store.market.bound();
  const meta = trackMeta(client.polls, {
    wall,
    hosted: true,
    marketOf: (source) => boundMarket(config, source),
    believed: bound && { live: bound.market === liveMarket, wall: 0, ...bound },
  });
  const bindMarket = createMarketBinding({ store, meta, log });
  const now = () => meta.market().now();
  const universe = meta.symbols;
  const shared = { store, universe, now, wall, steady, log, ...(ttl !== undefined && { ttl }) };
  const rules = openOwnRules({ ...shared, data: client.polls, watch: true });
  const toWatch: Watched[] = [
    ...storms.map((storm) => slowed(storm, every)),
    ...involved.map(({ detector, options }) => ({
      ...{ detector, options },
      schedule: createSchedule(detector.schedule),
    })),
    { detector: rules.detector, options: { requests: 4 }, schedule: createSchedule('15 * * * * *') },
  ];
  const polls = client.polls;
  const data: DataClient =
    stormData === undefined
      ? polls
      : {
          ...polls,
          fundingHistory: (query = {}, signal) =>
            (/^(STORM|SURGE)/.test(query.symbol ?? '') ? stormData : polls).fundingHistory(query, signal),
        };
  const watch = createWatch({ ...shared, market: meta.market, data, watched: toWatch });

  await meta.refresh().then(bindMarket, () => {});
  const keeping = startLoop(
    async () => {
      try {
        await meta.refresh();
        await bindMarket();
      } catch (error) {
        log.debug({ err: error }, 'no market time');
      }
      return metaEvery;
    },
    { wall, onError: () => {} },
  );
  const pipeline = await startPipeline({
    ...shared,
    outlets,
    random,
    inhibitRules: [],
    expireAfter: 365 * day,
    // Smaller than the number of subscriptions, so that a kill can interrupt an expansion between two pages.
    pageSize: 3,
    speed: () => meta.market().speed,
    source: () => 'simulated',
    count: () => {},
  });
  const roles = { ...shared, leases: store.leases };
  const judging = await rules.start(pipeline, roles);
  const watching = await keepRole('watch', roles, ({ lease, isHeld }) => {
    const fenced = { ...store, ...store.under(lease) };
    const dispatch: typeof pipeline.dispatch = async (detector, given) => {
      await pipeline.dispatch(detector, { ...given, watching: lease });
      rules.wake();
    };
    const beating = keepHeartbeat({ store: fenced, meta, wall, log });
    const looking = watch.start({ dispatch }, isHeld);
    return { stop: async () => void (await Promise.all([looking.stop(), beating.stop()])) };
  });
  return {
    async stop() {
      for (const part of [watching, judging, pipeline, keeping]) await part.stop();
      client.close();
    },
  };
}
