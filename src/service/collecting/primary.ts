import { aborted } from '../../runtime/aborted.ts';
import { ApiError } from '../../runtime/errors.ts';
import { minute } from '../../runtime/units.ts';
import type { SeriesName } from '../archive/archive.ts';
import type { HeldVenue } from '../archive/held-venue.ts';
import { seriesDescriptions } from '../archive/series.ts';
import type { Exchanges } from '../venues/open-exchanges.ts';
import type { OpenVenue, OtherVenues } from '../venues/others.ts';
import type { Venue } from '../venues/venue.ts';
import { messageOf } from './catch-up.ts';
import { type Collecting, type CollectingOptions, type DataListener, startCollecting } from './collecting.ts';
import { watchRefusals } from './refusals.ts';
import { pauseAfter, repeatUntilDone } from './rounds.ts';

export interface PrimaryOptions extends Omit<CollectingOptions, 'exchanges' | 'others'> {
  /** The venues that may become the primary one, in the order in which they are tried. */
  readonly venues: readonly Venue[];
  readonly held: HeldVenue;
  /** The venues that are asked in addition to the primary one. */
  readonly others: OtherVenues;
  /** Whether the market is live. A simulated or recorded market only imitates a venue, so no venue is named as its source. */
  readonly live: boolean;
  readonly open: (venue: Venue, signal: AbortSignal) => Promise<Exchanges>;
}

export interface PrimaryCollecting extends Collecting {
  /** Returns the primary venue; undefined until it has been chosen. */
  venue(): Venue | undefined;
  /** Returns the primary venue and those asked in addition; empty until the primary venue has been chosen. */
  venues(): readonly Venue[];
  /** Returns the clients of the primary venue; undefined until it has been chosen. */
  exchanges(): Exchanges | undefined;
  /** Returns the venues asked in addition to the primary one; empty until that has been chosen. */
  otherVenues(): readonly OpenVenue[];
}

/**
 * Collects from one venue, the primary: the venue whose data the archive has, or else the first that responds. The venue is
 * given up if it refuses this country or address: at once until the venue's data has been complete once, and later only if
 * it refuses again after a pause.
 */
export function collectFromPrimary(options: PrimaryOptions): PrimaryCollecting {
  const { held, others, live, log, wall, random = Math.random } = options;
  const ending = new AbortController();
  const signal = AbortSignal.any([options.signal, ending.signal]);
  const stopped = aborted(signal);
  const ready = Promise.withResolvers<void>();
  const listeners = new Set<DataListener>();
  let current: (Pick<Chosen, 'venue' | 'exchanges'> & { readonly collecting: Collecting }) | undefined;

  const store = (write: () => Promise<void>, signal: AbortSignal) =>
    repeatUntilDone(write, {
      wall,
      random,
      signal,
      onProblem: (problem) =>
        log.error({ problem }, 'the archive cannot store which venue it holds: trying again'),
    });

  const running = run().catch((error: unknown) => {
    if (!signal.aborted) log.error({ err: error }, 'choosing a venue stopped on an error');
  });

  return {
    ready: ready.promise,
    venue: () => current?.venue,
    venues: () =>
      current === undefined
        ? []
        : [current.venue, ...others.except(current.venue.name).map(({ venue }) => venue)],
    exchanges: () => current?.exchanges,
    otherVenues: () => (current === undefined ? [] : others.except(current.venue.name)),
    progress: () => current?.collecting.progress() ?? 0,
    universe: () => current?.collecting.universe() ?? [],
    ask: async (symbol) => current?.collecting.ask(symbol),
    listed: () => current?.collecting.listed() ?? new Map(),
    onData: (listener) => void listeners.add(listener),
    async stop() {
      ending.abort();
      await running;
      await others.close();
    },
  };

  async function run(): Promise<void> {
    let refusingVenue: Venue | undefined;
    while (!signal.aborted) {
      const chosen = await choose(refusingVenue);
      if (chosen === undefined) return;
      refusingVenue = await collectFrom(chosen);
    }
  }

  /** Collects from one venue until the venue is given up or everything stops. Returns the venue. */
  async function collectFrom({ venue, exchanges, close }: Chosen): Promise<Venue> {
    const { name, title } = venue;
    const before = held.name();
    await store(() => held.change(name), signal);
    if (signal.aborted) {
      await exchanges.close();
      return venue;
    }
    if (live) log.info({ venue: name }, `market data comes from ${title}`);
    const refused = Promise.withResolvers<void>();
    const watchedExchanges = {
      ...exchanges,
      markets: watchRefusals(exchanges.markets, {
        wall,
        hasBeenComplete: held.hasBeenComplete,
        onRefused: refused.resolve,
      }),
    };
    const collecting = startCollecting({
      ...options,
      exchanges: watchedExchanges,
      others: others.except(name),
      signal: close.signal,
    });
    collecting.onData((...data) => {
      for (const listener of listeners) listener(...data);
    });
    void collecting.ready.then(async () => {
      await store(held.markComplete, close.signal);
      ready.resolve();
    });
    current = { venue, exchanges, collecting };
    if (before !== undefined && before !== name) notifyOfAllSeries();
    await Promise.race([refused.promise, stopped]);
    close.abort();
    await collecting.stop();
    if (!signal.aborted)
      log.warn({ venue: name }, `${title} refuses this country or network: looking for another venue`);
    return venue;
  }

  /** Notifies listeners about every series, because all data comes from another venue after a change. */
  function notifyOfAllSeries(): void {
    const all = [...(Object.keys(seriesDescriptions) as SeriesName[]), 'liquidations' as const];
    for (const listener of listeners) for (const series of all) listener(series, []);
  }

  async function choose(refusingVenue: Venue | undefined): Promise<Chosen | undefined> {
    const heldVenue = options.venues.find(({ name }) => name === held.name());
    // The only possible venue, or the one whose data the archive has, is opened without waiting for its first response.
    const preferredVenue = options.venues.length === 1 ? options.venues[0] : heldVenue;
    if (preferredVenue !== undefined && preferredVenue !== refusingVenue) return open(preferredVenue);
    const untried = options.venues.filter((venue) => venue !== refusingVenue);
    const order = refusingVenue === undefined ? untried : [...untried, refusingVenue];
    return firstThatResponds(order, { open, signal, log, wall, random });
  }

  async function open(venue: Venue): Promise<Chosen> {
    const closing = new AbortController();
    const close = { signal: AbortSignal.any([signal, closing.signal]), abort: () => closing.abort() };
    return { venue, close, exchanges: await options.open(venue, close.signal) };
  }
}

interface Chosen {
  readonly venue: Venue;
  readonly exchanges: Exchanges;
  readonly close: { readonly signal: AbortSignal; abort(): void };
}

/** The longest that a venue which limits its requests is waited for at a first start, wall ms: the choice is kept for good. */
const longestLimit = 15 * minute;

/** Asks a venue for its time: once more if it limits its requests for a while only. @throws ApiError */
async function askTime(
  { venue: { name, title }, exchanges: { markets } }: Chosen,
  { signal, log, wall }: Pick<ChoiceOptions, 'signal' | 'log' | 'wall'>,
): Promise<void> {
  try {
    await markets.serverTime();
  } catch (error) {
    const isLimited = error instanceof ApiError && error.reason === 'rate_limited';
    const wait = isLimited ? (error.retryAfter ?? Infinity) : Infinity;
    if (wait > longestLimit) throw error;
    log.warn({ venue: name, problem: messageOf(error) }, `${title} limits its requests: waiting for it`);
    await wall.sleep(wait, signal);
    await markets.serverTime();
  }
}

interface ChoiceOptions extends Required<Pick<PrimaryOptions, 'signal' | 'log' | 'wall' | 'random'>> {
  readonly open: (venue: Venue) => Promise<Chosen>;
}

/** Opens the venues in turn until one responds. Returns undefined if the signal aborts first. */
async function firstThatResponds(
  venues: readonly Venue[],
  { open, signal, log, wall, random }: ChoiceOptions,
): Promise<Chosen | undefined> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    for (const venue of venues) {
      const opened = await open(venue);
      try {
        await askTime(opened, { signal, log, wall });
        return opened;
      } catch (error) {
        opened.close.abort();
        await opened.exchanges.close();
        if (signal.aborted) return undefined;
        log.warn({ venue: venue.name, problem: messageOf(error) }, `${venue.title} cannot be collected from`);
      }
    }
    const pause = pauseAfter(undefined, failures, random());
    await wall.sleep(pause, signal).catch(() => {});
  }
  return undefined;
}
