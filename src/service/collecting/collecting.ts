import { join } from 'node:path';
import type { Logger } from 'pino';
import { aborted } from '../../runtime/aborted.ts';
import { type MarketClock, maxAhead, type WallClock } from '../../runtime/clock.ts';
import { loadPlugins } from '../../runtime/plugins.ts';
import { second } from '../../runtime/units.ts';
import type { Archive, SeriesName } from '../archive/archive.ts';
import { isPossible } from '../archive/possible.ts';
import type { MacroProvider } from '../exchanges/macro.ts';
import type { Exchanges } from '../venues/open-exchanges.ts';
import type { OpenVenue } from '../venues/others.ts';
import { openAsking } from './asking.ts';
import { type Backfill, createBackfill } from './backfill.ts';
import type { Collector, CollectorContext } from './collectors/collector.ts';
import { type FeedHealth, openFeed, type PlayedOutage, tellPlayed } from './feed-health.ts';
import { createPriceTable, type PriceTable } from './price-table.ts';
import { keepRepairing } from './repairing.ts';
import {
  keepCollecting,
  keepListening,
  publicationLag,
  type RunningCollector,
  repeatUntilDone,
} from './rounds.ts';
import { type FollowedCount, type ListedMarkets, openUniverse, type Universe } from './universe.ts';

export interface CollectingOptions {
  readonly archive: Archive;
  /** Where the newest prices go. Absent: nobody reads them. */
  readonly prices?: PriceTable;
  /** Closed by `stop`. */
  readonly exchanges: Exchanges;
  /** Venues that are asked in addition to the one in `exchanges`; absent: none. */
  readonly others?: readonly OpenVenue[];
  readonly clock: MarketClock;
  /**
   * Resolves when the market runs at its full speed. Streams are listened to from then on. Absent: the market runs at full
   * speed from the start.
   */
  readonly running?: Promise<void>;
  readonly outage?: PlayedOutage | undefined;
  readonly wall: WallClock;
  readonly symbols: FollowedCount;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Called with how many rows were refused because their times lie ahead of the clock. */
  readonly onRowsAhead?: (given: {
    readonly series: string;
    readonly dropped: number;
    readonly of: number;
  }) => void;
  /** Absent: macro data is not collected. */
  readonly macro?: MacroProvider | undefined;
  readonly random?: () => number;
}

const noMarkets: ListedMarkets = new Map();
const aheadOfClock = 'the times of all its rows lie ahead of this machine’s clock: synchronize it by NTP';

/** Pause before the first requests after a restart, wall ms. */
const restartPause = second;

export type DataListener = (
  series: SeriesName | 'liquidations' | 'listed',
  symbols: readonly string[],
) => void;

export interface Collecting {
  /**
   * Resolves when the archive contains the default windows of the endpoints and the regime's past. Stays pending if stopped
   * before.
   */
  readonly ready: Promise<void>;
  /** As that of a backfill. */
  progress(): number;
  /** Returns the followed markets, the largest volume first. */
  universe(): readonly string[];
  /** Returns every market that the venue lists, the largest volume first. */
  listed(): ListedMarkets;
  /**
   * Follows a listed market for a day. Resolves when what answers need of its past has been fetched, once for all who ask, or
   * cannot be fetched now.
   */
  ask(symbol: string): Promise<void>;
  /** Calls the listener after rows have been written. The writer waits for the listener, which must be quick. */
  onData(listener: DataListener): void;
  stop(): Promise<void>;
}

/**
 * Keeps the archive filled from the exchanges. First it fetches the data that readiness needs, then always the present,
 * and the rest of the past in the background.
 */
export function startCollecting(options: CollectingOptions): Collecting {
  const ending = new AbortController();
  const signal = AbortSignal.any([options.signal, ending.signal]);
  const listeners = new Set<DataListener>();
  const ready = Promise.withResolvers<void>();
  let universe: Universe | undefined;
  let backfill: Backfill | undefined;
  let asking: ((symbol: string) => Promise<void>) | undefined;

  const { exchanges, others = [] } = options;
  const running = run().catch((error: unknown) => {
    if (!signal.aborted) options.log.error({ err: error }, 'collecting data stopped on an error');
  });

  return {
    ready: ready.promise,
    progress: () => backfill?.progress() ?? 0,
    universe: () => universe?.symbols() ?? [],
    listed: () => universe?.listed() ?? noMarkets,
    ask: async (symbol) => asking?.(symbol),
    onData: (listener) => void listeners.add(listener),
    async stop() {
      ending.abort();
      await running;
      await exchanges.close();
    },
  };

  async function run(): Promise<void> {
    const { archive, clock, wall, log, random = Math.random } = options;
    const { venue } = exchanges;
    const repeating = { wall, random, signal };
    const onListed = () => {
      for (const listener of listeners) listener('listed', []);
    };
    const stored = await readStored({ ...options, onListed }, repeating);
    if (stored === undefined) return;
    const { universe: opened, states } = stored;
    universe = opened;
    const isPlayed = tellPlayed(options.outage, log);
    const feedOf = (name: string) => openFeed(name, { before: states.get(name), archive, isPlayed, log });
    const universeFeed = feedOf('universe');
    await chooseUniverse(opened, { feed: universeFeed, clock, ...repeating });

    const shared = contextOf(options, { universe: opened, signal, listeners });
    const collectors = await loadPlugins<Collector>(
      join(import.meta.dirname, './collectors'),
      'collector.ts',
    );
    const activeCollectors = collectors.filter(({ feedsOn }) => feedsOn?.(venue.roles, others) ?? true);
    const feeds = activeCollectors.map((collector): RunningCollector => {
      const feed = feedOf(collector.name);
      const report = (state: { at: number } | { problem: string }) =>
        void ('at' in state ? feed.recordSuccess(state.at) : feed.recordProblem(state.problem)).catch(
          (error: unknown) =>
            log.warn({ err: error, feed: collector.name }, 'could not store the state of a feed'),
        );
      const context = { ...shared, report };
      const histories = collector.histories?.(context) ?? [];
      return { collector, feed, histories, context, now: () => Math.floor(clock.now() - opened.aheadBy()) };
    });
    const filling = createBackfill(opened, { lag: publicationLag });
    backfill = filling;
    asking = openAsking({ universe: opened, fetch: (symbol) => filling.fetch(symbol, feeds), wall, log });
    let measured: Promise<void> | undefined;
    const measureClockOnce = () => (measured ??= opened.measureClock().catch(() => {}));

    const atFullSpeed = Promise.race([options.running, aborted(signal)]);
    const started = feeds.map((feed) => {
      const past = filling.fillNeeded(feed);
      const collectedBefore = feed.feed.hasSucceeded();
      const firstRound = Promise.withResolvers<void>();
      // Rounds begin after the past, so that the first round does not fetch the same rows again. After a restart, the
      // service gets a moment to respond from the archive before it requests more, the exchange's time first.
      const rounds = past
        .then(() => (collectedBefore ? wall.sleep(restartPause, signal).catch(() => {}) : undefined))
        .then(measureClockOnce)
        .then(() => keepCollecting(feed, firstRound.resolve));
      const listening = Promise.all([firstRound.promise, atFullSpeed]).then(() => keepListening(feed));
      // Readiness does not wait for the first round of a feed that succeeded before: the gap since is repaired later.
      const beginning = collectedBefore ? past : firstRound.promise;
      return { beginning, loop: Promise.all([rounds, listening]) };
    });
    const repairing = Promise.all(started.map(({ beginning }) => beginning)).then(async () => {
      if (signal.aborted) return;
      ready.resolve();
      log.info({ symbols: opened.symbols().length }, 'recent data is ready');
      await keepRepairing({ filling, feeds, universe: opened, universeFeed, ...options, random, signal });
    });
    await Promise.all([...started.map(({ loop }) => loop), repairing]);
  }
}

/** Returns what all collectors work with, except how each reports its state. */
function contextOf(
  options: CollectingOptions,
  {
    universe: { symbols, listed, learn, applyList, aheadBy },
    signal,
    listeners,
  }: {
    readonly universe: Universe;
    readonly signal: AbortSignal;
    readonly listeners: ReadonlySet<DataListener>;
  },
): Omit<CollectorContext, 'report'> {
  const { archive, clock, wall, exchanges, others = [], macro, random = Math.random } = options;
  const { prices = createPriceTable() } = options;
  const notify = (series: SeriesName | 'liquidations', rows: readonly { readonly symbol: string }[]) => {
    if (rows.length === 0) return;
    const changed = new Set(rows.map(({ symbol }) => symbol));
    for (const listener of listeners) listener(series, [...changed]);
  };
  return {
    exchanges,
    others,
    macro,
    archive,
    prices,
    clock,
    wall,
    random,
    signal,
    symbols,
    listed,
    learn,
    applyList,
    aheadBy,
    async write(series, given) {
      const possible = given.filter(isPossible);
      const rows = explained(possible, { series, ...options });
      if (rows.length === 0 && possible.length > 0) throw new Error(aheadOfClock);
      await archive.write(series, rows);
      notify(series, rows);
    },
    async writeLiquidations(given) {
      const rows = explained(given.filter(isPossible), { series: 'liquidations', ...options });
      await archive.writeLiquidations(rows);
      notify('liquidations', rows);
    },
  };
}

/** Returns the rows whose times the clock explains: one from the future would be the newest until then. */
export function explained<Row extends { readonly time: number }>(
  rows: readonly Row[],
  {
    series,
    clock,
    onRowsAhead,
  }: { readonly series: string } & Pick<CollectingOptions, 'clock' | 'onRowsAhead'>,
): readonly Row[] {
  const latest = clock.now() + maxAhead(clock.speed);
  const known = rows.filter(({ time }) => time <= latest);
  const dropped = rows.length - known.length;
  if (dropped > 0) onRowsAhead?.({ series, dropped, of: rows.length });
  return known;
}

type Repeating = Pick<CollectorContext, 'wall' | 'random' | 'signal'>;

/** Reads the tracked symbols and the states of the feeds. Retries until the archive answers; undefined if the signal aborts. */
const readStored = (
  {
    archive,
    exchanges: { markets },
    clock,
    symbols: wanted,
    log,
    onListed,
  }: CollectingOptions & { readonly onListed: () => void },
  repeating: Repeating,
) =>
  repeatUntilDone(
    async () => ({
      universe: await openUniverse({ archive, markets, clock, wanted, log, onListed }),
      states: new Map((await archive.feeds()).map((state) => [state.feed, state])),
    }),
    {
      ...repeating,
      onProblem: (problem) => log.error({ problem }, 'the archive cannot be read: trying again'),
    },
  );

/**
 * Chooses the symbols to collect and measures the exchange's clock. Retries until that succeeds, because nothing can begin
 * without them. A restart has both from before; after an outage of a day, whose rows come before the rounds, it measures first.
 */
async function chooseUniverse(
  universe: Universe,
  { feed, clock, ...repeating }: { readonly feed: FeedHealth } & Pick<CollectorContext, 'clock'> & Repeating,
): Promise<void> {
  if (universe.isUsable()) {
    if (universe.isStale()) await universe.measureClock().catch(() => {});
    return;
  }
  await repeatUntilDone(
    async () => {
      await universe.measureClock();
      await universe.renew();
      await feed.recordSuccess(clock.now());
    },
    { ...repeating, onProblem: (problem) => feed.recordProblem(problem).catch(() => {}) },
  );
}
