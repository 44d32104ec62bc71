import type { Logger } from 'pino';
import { z } from 'zod';
import { type Clock, type MarketClock, realTime, type WallClock } from '../../runtime/clock.ts';
import { type Loop, startLoop } from '../../runtime/loop.ts';
import { second } from '../../runtime/units.ts';
import type { Archive } from '../archive/archive.ts';
import type { AnswerSource } from '../archive/sources.ts';
import { rememberMarks } from '../collecting/collectors/prices.ts';
import type { PriceTable } from '../collecting/price-table.ts';
import { type ListedMarkets, noteAsked, readListed } from '../collecting/universe.ts';
import type { Present } from '../handlers/present.ts';
import type { Venue } from '../venues/venue.ts';

/**
 * Wall ms between two writes of the collecting service, and between two reads of a follower. Without a new write for longer
 * than this, the follower's simulated market time stops. So no follower is ahead of the service that takes over, which begins
 * at least a second later (market-time.ts).
 */
const interval = second;

/** Wall ms without a new state after which nobody is collecting: another service would have taken over by then (role.ts). */
const longestPause = 10 * second;

/** The problem of each feed while nobody is collecting. */
const uncollected = 'no data service is collecting';

/** The document of the archive in which the collecting service writes its state for its followers. */
const documentKey = 'standing';
const sharedState = z.object({
  /** Identifies the writing service. Another service counts its `changes` from the beginning. */
  life: z.int(),
  /** Market ms. `pace` is the number of market seconds in a wall second. */
  market: z.int(),
  pace: z.number(),
  /** Names of the venues, the primary one first. */
  venues: z.array(z.string()),
  universe: z.array(z.string()),
  progress: z.number(),
  ready: z.boolean(),
  /** How often each source has changed. */
  changes: z.record(z.string(), z.int()),
});
type SharedState = z.output<typeof sharedState>;

/** The document in which followers say that they are there: only then are the newest prices written, some 70 kB a second. */
const followedKey = 'followed';
/** Wall ms between two such words of a follower, and after the last of any until no prices are written. */
const followedEvery = 5 * second;
const followedFor = 15 * second;
/** The document in which the collecting service writes the newest prices. */
const pricesKey = 'prices';
const sharedPrices = z.object({
  /** Tells one writing from the next. */
  written: z.number(),
  stale: z.boolean(),
  prices: z.array(
    z.object({
      symbol: z.string(),
      price: z.number(),
      markPrice: z.number().optional(),
      indexPrice: z.number().optional(),
      time: z.number(),
    }),
  ),
});
/** Wall ms without a new writing after which the prices are not of now. */
const pricesStaleAfter = 5 * second;

interface SharedStateOptions {
  readonly archive: Pick<Archive, 'get' | 'put'>;
  readonly wall: WallClock;
  readonly log: Logger;
}

/**
 * Writes the present for followers, until it is stopped.
 * @param life identifies this service; higher with each service that takes over
 */
export function keepPublishingState(
  present: Present,
  {
    life,
    changes,
    archive,
    wall,
    log,
  }: SharedStateOptions & { readonly life: number; readonly changes: ReadonlyMap<AnswerSource, number> },
): Loop {
  let followedAt = Number.NEGATIVE_INFINITY;
  let lastFollowed: unknown;
  const writePrices = async () => {
    const followed = await archive.get(followedKey);
    if (followed !== lastFollowed) followedAt = wall.now();
    lastFollowed = followed;
    const table = present.prices();
    if (table === undefined || wall.now() - followedAt > followedFor) return;
    const prices = table.changed().map(({ revision: _, ...row }) => row);
    await archive.put(pricesKey, { written: wall.now(), stale: table.stale(), prices });
  };
  const writeState = async () => {
    const state: SharedState = {
      life,
      market: Math.floor(present.clock.now()),
      pace: present.pace(),
      venues: present.venues().map(({ name }) => name),
      universe: [...present.universe()],
      progress: present.progress(),
      ready: present.ready(),
      changes: Object.fromEntries(changes),
    };
    await archive.put(documentKey, state);
    await writePrices();
    return interval;
  };
  return startLoop(writeState, {
    wall,
    onError: (error) => log.warn({ err: error }, 'could not tell other data services what was collected'),
  });
}

interface Following extends Present {
  stop(): Promise<void>;
}

/** Follows the present as another process writes it. Until that process has written something, the present is empty. */
export async function follow({
  live,
  speed,
  venues,
  steady,
  archive,
  prices,
  hearsPrices,
  wall,
  log,
  changed,
  onReady,
}: SharedStateOptions & {
  readonly archive: Pick<Archive, 'feeds' | 'readAll'>;
  /** The process's table of newest prices, which is kept from what is written unless the process hears prices itself. */
  readonly prices: PriceTable;
  readonly hearsPrices: () => boolean;
  /** Whether the market is live; market time is then wall time. */
  readonly live: boolean;
  readonly speed: number;
  /** All venues that the written state may name. */
  readonly venues: readonly Venue[];
  readonly steady: Clock;
  changed(source: AnswerSource): void;
  onReady(): void;
}): Promise<Following> {
  let latestState: SharedState | undefined;
  // The document that is found first may be the last one of a service that no longer exists.
  let isCurrent = false;
  let ready = false;
  let stateChangedAt = steady.now();
  let latestTime = 0;
  let writtenVenues: readonly Venue[] = [];
  let listed: ListedMarkets = new Map();
  const stale = () => steady.now() - stateChangedAt > longestPause;
  let wasStale = false;

  const reportStale = () => {
    if (stale() !== wasStale) changed('state');
    wasStale = stale();
  };
  let followedAt = Number.NEGATIVE_INFINITY;
  let lastWritten: number | undefined;
  let pricesAt = Number.NEGATIVE_INFINITY;
  const readPrices = async () => {
    if (hearsPrices()) return;
    if (steady.now() - followedAt >= followedEvery) {
      followedAt = steady.now();
      await archive.put(followedKey, wall.now());
    }
    const next = sharedPrices.optional().parse((await archive.get(pricesKey)) ?? undefined);
    const isNew = next?.prices.length && lastWritten !== undefined && next.written !== lastWritten;
    // What is found first may be the last word of a service that no longer exists.
    lastWritten = next?.written ?? 0;
    const now = Math.max(...(next?.prices ?? []).map(({ time }) => time));
    if (isNew && pricesAt === Number.NEGATIVE_INFINITY) await rememberMarks(prices, { archive, now });
    // Whoever has begun to hear prices meanwhile knows better.
    if (hearsPrices()) return;
    if (isNew) {
      pricesAt = steady.now();
      prices.take(next.prices, now);
      prices.setStale(next.stale);
    } else if (steady.now() - pricesAt >= pricesStaleAfter) prices.setStale(true);
  };
  const readState = async () => {
    reportStale();
    const next = sharedState.optional().parse((await archive.get(documentKey)) ?? undefined);
    if (next === undefined) return;
    // While a service that has taken over loads its data, the previous state stays in use.
    if (ready && !next.ready) return;
    const before = latestState;
    if (before !== undefined && (next.life !== before.life || next.market !== before.market)) {
      isCurrent = true;
      stateChangedAt = steady.now();
    }
    latestState = next;
    writtenVenues = next.venues.flatMap((name) => venues.find((venue) => venue.name === name) ?? []);
    const previousChanges = next.life === before?.life ? before.changes : {};
    if (next.changes.listed !== previousChanges.listed) listed = await readListed(archive);
    for (const [source, times] of Object.entries(next.changes))
      if (times !== previousChanges[source]) changed(source as AnswerSource);
    ready = isCurrent && next.ready;
    if (ready) onReady();
  };
  const followedClock: MarketClock = {
    speed,
    now() {
      const since = Math.min(interval, steady.now() - stateChangedAt);
      latestTime = Math.max(
        latestTime,
        Math.floor((latestState?.market ?? 0) + since * (latestState?.pace ?? 0)),
      );
      return latestTime;
    },
    wallUntil: (at) => Math.max(0, (at - followedClock.now()) / speed),
  };
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'could not see what another data service collects');
  const read = async () => {
    await readState();
    await readPrices();
    return interval;
  };
  await read().catch(onError);
  const loop = startLoop(read, { wall, onError });
  return {
    clock: live ? realTime(wall) : followedClock,
    pace: () => latestState?.pace ?? speed,
    venues: () => writtenVenues,
    universe: () => latestState?.universe ?? [],
    listed: () => listed,
    prices: () => prices,
    ask: async (symbol) => noteAsked(archive, symbol, followedClock.now()),
    progress: () => latestState?.progress ?? 0,
    ready: () => ready,
    stale,
    // The collecting process has written the states, and no process has corrected them since it ended.
    async feeds() {
      const feeds = await archive.feeds();
      return stale()
        ? feeds.map(({ problem, ...feed }) => ({ ...feed, problem: problem ?? uncollected }))
        : feeds;
    },
    stop: () => loop.stop(),
  };
}
