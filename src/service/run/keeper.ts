import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import type { Clock, WallClock } from '../../runtime/clock.ts';
import { second } from '../../runtime/units.ts';
import type { Archive } from '../archive/archive.ts';
import { openHeldVenue } from '../archive/held-venue.ts';
import type { AnswerSource } from '../archive/sources.ts';
import { keepDataChecks } from '../checking/keep-data-checks.ts';
import { createAskTiers } from '../collecting/margin-tiers.ts';
import type { PriceTable } from '../collecting/price-table.ts';
import { collectFromPrimary, type PrimaryCollecting } from '../collecting/primary.ts';
import type { OnRowsDropped } from '../exchanges/rows.ts';
import type { HandlerContext } from '../handlers/handler.ts';
import type { Present } from '../handlers/present.ts';
import type { Bodies } from '../http/kept-bodies.ts';
import type { Exchanges } from '../venues/open-exchanges.ts';
import { openOtherVenues } from '../venues/others.ts';
import { simulatedExchanges, simulatedOthers, simulatedVenueOf } from '../venues/simulated.ts';
import { openThreadedExchanges } from '../venues/thread.ts';
import { simulatedVenue, type Venue } from '../venues/venue.ts';
import { createAskCandles } from './ask-candles.ts';
import { keepChecking } from './quality.ts';
import { keepPublishing } from './regimes.ts';
import type { ServiceOptions } from './service.ts';
import { type MarketNature, type MarketUpstream, openUpstream } from './upstream.ts';
import { othersOf, venuesOf } from './venue-choice.ts';

export interface KeeperPorts {
  readonly nature: MarketNature;
  readonly database: Database<unknown>;
  readonly archive: Archive;
  /** The process's table of newest prices. */
  readonly prices: PriceTable;
  readonly wall: WallClock;
  readonly steady: Clock;
  readonly onRowsDropped: OnRowsDropped;
  /** Audits request the published values from here, as other callers do. */
  readonly bodies: Pick<Bodies, 'get'>;
  contextAt(present: Present, now: number): HandlerContext;
  /** Called when a source has new data. */
  changed(source: AnswerSource): void;
  onReady(): void;
}

interface Keeper extends Present {
  stop(): Promise<void>;
}

/**
 * Collects a market into the archive and derives regimes, quality checks and audits from the data.
 * @throws ConfigError if the archive holds another market, or the recordings cannot be read
 */
export async function startKeeper(options: ServiceOptions, ports: KeeperPorts): Promise<Keeper> {
  const { log } = options;
  const { archive, prices, wall, changed } = ports;
  const ending = new AbortController();
  const { signal } = ending;
  await using started = new AsyncDisposableStack();

  const upstream = await openUpstream(options.market, { ...ports, speed: options.speed, signal });
  started.defer(() => upstream.close());
  const { clock } = upstream;
  const collecting = await collectMarket(options, { ...ports, upstream, signal });
  started.defer(() => collecting.stop());

  let ready = false;
  const present: Present = {
    clock,
    pace: upstream.pace,
    venues: collecting.venues,
    universe: collecting.universe,
    listed: collecting.listed,
    prices: () => prices,
    ask: collecting.ask,
    progress: collecting.progress,
    ready: () => ready,
    stale: () => false,
    feeds: archive.feeds,
    askCandles: createAskCandles({ exchanges: collecting.exchanges, clock, wall, signal }),
    askTiers: createAskTiers(collecting, { archive, clock }),
  };
  const shared = { archive, clock, wall, log, signal };
  const publishing = keepPublishing({
    ...shared,
    after: collecting.ready,
    onPublished: () => changed('regimes'),
  });
  collecting.onData((series, symbols) => {
    changed(series);
    if (series === 'candles1h') publishing.wake(symbols);
  });
  const after = publishing.ready;
  const checking = keepChecking({
    ...shared,
    contextAt: (now) => ports.contextAt(present, now),
    after,
    onChecked: () => changed('quality'),
  });
  const dataChecking = keepDataChecks({
    ...shared,
    settings: options.checks,
    bodies: ports.bodies,
    source: ports.nature.source,
    venues: collecting,
    after,
    onChecked: () => changed('audits'),
  });
  const reporting = reportProgress(collecting.progress, shared);
  started.defer(async () => {
    ending.abort();
    await Promise.all([publishing.done, checking, dataChecking, reporting]);
  });
  void after.then(() => {
    upstream.run();
    ready = true;
    ports.onReady();
  });

  const running = started.move();
  return { ...present, stop: () => running.disposeAsync() };
}

/** Collects from the primary venue, and some data from other venues. @throws ConfigError if a named venue does not exist */
async function collectMarket(
  options: ServiceOptions,
  {
    database,
    archive,
    upstream: { from, macro, clock, running, outage },
    prices,
    wall,
    onRowsDropped,
    signal,
  }: Pick<KeeperPorts, 'database' | 'archive' | 'prices' | 'wall' | 'onRowsDropped'> & {
    readonly upstream: MarketUpstream;
    readonly signal: AbortSignal;
  },
): Promise<PrimaryCollecting> {
  const { market, symbols, log, venues: folder } = options;
  const clientOptions = { wall, signal, onRowsDropped, memory: archive };
  const [venues, otherVenues] = await Promise.all([venuesOf(options), othersOf(options)]);
  const collected =
    'market' in from
      ? {
          venues: venues.map(simulatedVenueOf),
          others: simulatedOthers(otherVenues, { ...from, clock, signal }),
          open: async (venue: Venue, signal: AbortSignal): Promise<Exchanges> =>
            simulatedExchanges(venue, { ...from, clock, signal }),
        }
      : {
          venues,
          others: await openOtherVenues(from.urls, { ...clientOptions, venues: otherVenues }),
          open: (venue: Venue, signal: AbortSignal) =>
            openThreadedExchanges(from.urls, { ...clientOptions, venue, folder, signal }),
        };
  return collectFromPrimary({
    ...collected,
    archive,
    prices,
    held: await openHeldVenue({ database, archive }, simulatedVenue),
    live: market.kind === 'live',
    macro,
    clock,
    running,
    outage,
    wall,
    onRowsAhead: ({ series, ...dropped }) =>
      onRowsDropped({ endpoint: series, ...dropped, example: 'its time lies ahead of the clock' }),
    symbols,
    log,
    signal,
  });
}

/** Progress is logged in steps of this share. */
const progressStep = 0.05;

/**
 * Logs how much of the past is loaded, until all of it is: lines with `progress` (0 to 1), which a terminal shows as a bar.
 * Nothing is logged if the past was complete from the start.
 */
async function reportProgress(
  progress: () => number,
  { wall, log, signal }: { readonly wall: WallClock; readonly log: Logger; readonly signal: AbortSignal },
): Promise<void> {
  let logged: number | undefined;
  while (!signal.aborted) {
    const share = progress();
    const reached = Math.floor(share / progressStep);
    if (share > 0 && share < 1 && reached !== logged) {
      logged = reached;
      log.info({ progress: Math.round(share * 100) / 100 }, 'loading history');
    }
    if (share >= 1) {
      if (logged !== undefined) log.info({ progress: 1 }, 'history is loaded');
      return;
    }
    await wall.sleep(second / 2, signal).catch(() => {});
  }
}
