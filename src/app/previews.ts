import type { Logger } from 'pino';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import type { Client } from '../client/create-client.ts';
import { createPastLines, type PastLines } from '../preview/past-lines.ts';
import { createPreviews, type Previews, type PreviewsOptions } from '../preview/previews.ts';
import { lineInProcess, replayInProcess } from '../preview/process.ts';
import { startKeeping } from '../rules/keep-readings.ts';
import { seenPast } from '../rules/past-readings.ts';
import type { MarketClock, WallClock } from '../runtime/clock.ts';
import { ApiError } from '../runtime/errors.ts';
import type { Loop } from '../runtime/loop.ts';
import type { Store } from '../store/ports.ts';
import type { Config } from './config/config.ts';
import { createPastMemory } from './kept-past.ts';

/** Whether there is an archive that this process can read. An archive in memory can be read by its service only. */
const hasReadableArchive = ({ data: { url, embedded } }: Config): boolean =>
  url === null && embedded.archive !== 'file::memory:';

/** Entry of the process that computes pasts. */
const workerUrl = new URL('./past-worker.ts', import.meta.url);

/** The requests of previews are counted under this name: a preview serves all who ask for it, so no one of them pays for it. */
const previewAccount = { chat: 'previews', person: 'previews' };

/** The option of detectors that watch only some markets at a time. */
const symbolLimit = z.object({ maxSymbols: z.number() });

/**
 * Opens the previews. With the embedded service, another process replays its archive. A hosted service has no archive to read:
 * previews of subscriptions then use the stored alerts, and previews of rules use the service's history and the stored
 * readings.
 */
export function openPreviews(
  config: Config,
  given: {
    readonly data: Pick<Client, 'questions'>;
    readonly store: Store;
    /** Name of the market that the readings belong to. */
    readonly market: string;
    readonly universe: () => readonly string[];
    /** Whether the data service has loaded its whole past. */
    readonly isBackfilled: () => boolean;
    /** Returns the current market clock. */
    readonly clock: () => MarketClock;
    readonly wall: WallClock;
    readonly log: Logger;
  },
): Previews & { readonly line: PastLines } {
  const { embedded } = config.data;
  const { data, store, market, universe, isBackfilled, clock, wall, log } = given;
  const now = () => clock().now();
  const detectors = config.detectors.filter(({ enabled }) => enabled);
  const replayedDetectors = detectors.map(({ detector, options, schedule }) => ({
    name: detector.name,
    options,
    schedule,
  }));
  const archive = hasReadableArchive(config) ? { url: embedded.archive, whole: isBackfilled } : undefined;
  const seen: PreviewsOptions['seen'] = (rule, { window, signal }) =>
    seenPast(rule, {
      data: data.questions(previewAccount),
      universe: universe(),
      ...window,
      signal,
      page: (feed, { window, limit }) => store.readings.page(market, { feed, window, limit }),
    });
  const previews = createPreviews({
    universe,
    now,
    wall,
    log,
    async kept(limit) {
      const [all, held] = await Promise.all([store.alerts.recent(limit), store.alerts.heldBack(0)]);
      // They were announced to nobody.
      const heldIds = new Set(held.map(({ alert }) => alert.id));
      return all.filter(({ id }) => !heldIds.has(id));
    },
    kinds: detectors.map(({ detector: { name, preset, groupWait = 0 }, options }) => ({
      name,
      preset,
      groupWait,
      ...symbolLimit.safeParse(options).data,
    })),
    replay: replayInProcess(workerUrl),
    inhibitRules: config.inhibit,
    ...(archive !== undefined && {
      archive: {
        ...archive,
        detectors: replayedDetectors,
        memory: createPastMemory(store, [market, manifest.version, replayedDetectors, config.inhibit]),
      },
    }),
    seen,
  });
  const lines = createPastLines({ archive, line: lineInProcess(workerUrl), seen, now, wall, log });
  return {
    ...previews,
    line: lines.of,
    async close() {
      await Promise.all([previews.close(), lines.close()]);
    },
  };
}

/**
 * Stores current readings of the data service if there is no archive, for the previews of all processes. One process does
 * this for all.
 */
export function keepReadings(
  config: Config,
  {
    data,
    store,
    market,
    universe,
    clock,
    wall,
    log,
  }: {
    readonly data: Client['polls'];
    readonly store: Pick<Store, 'readings'>;
    readonly market: string;
    readonly universe: () => readonly string[];
    readonly clock: () => MarketClock;
    readonly wall: WallClock;
    readonly log: Logger;
  },
): readonly Loop[] {
  if (hasReadableArchive(config) || !config.watch) return [];
  const keeping = startKeeping({
    data,
    universe,
    clock,
    wall,
    add: (kept) => store.readings.add(market, kept),
    onError(error) {
      if (error instanceof ApiError)
        log.debug({ err: error }, 'a reading for previews is missing; asking again at the next round');
      else log.error({ err: error }, 'could not store readings for previews; retrying');
    },
  });
  return [keeping];
}
