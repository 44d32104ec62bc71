import type { Logger } from 'pino';
import manifest from '../../package.json' with { type: 'json' };
import type { Client } from '../client/create-client.ts';
import { createPastLines, type PastLines } from '../preview/past-lines.ts';
import { createPreviews, type Previews, type PreviewsOptions } from '../preview/previews.ts';
import { threadedLine, threadedReplay } from '../preview/thread.ts';
import { startKeeping } from '../rules/keep.ts';
import { seenPast } from '../rules/seen.ts';
import type { MarketClock, WallClock } from '../runtime/clock.ts';
import { ApiError } from '../runtime/errors.ts';
import type { Loop } from '../runtime/loop.ts';
import type { Store } from '../store/store.ts';
import type { Config } from './config.ts';
import { keptPast } from './kept-past.ts';

/** Whether there is an archive to be read beside its service: one in memory is its service's alone. */
const archived = ({ data: { url, embedded } }: Config): boolean =>
  url === null && embedded.archive !== 'file::memory:';

/** The thread of the past. */
const entry = new URL('./past-worker.ts', import.meta.url);

/** One preview serves whoever asks for it: none of them pays for it alone. */
const forAll = { chat: 'previews', person: 'previews' };

/**
 * Previews over the embedded service's archive, which is read in a thread of its own. A hosted one has none to read:
 * then over the alerts kept, and for rules over what it tells of its past and what is kept of its present here.
 */
export function openPreviews(
  config: Config,
  given: {
    readonly data: Pick<Client, 'questions'>;
    readonly store: Store;
    /** Whose readings they are. */
    readonly market: string;
    readonly universe: () => readonly string[];
    /** The data service has loaded its past. */
    readonly whole: () => boolean;
    /** Asked anew each time. */
    readonly clock: () => MarketClock;
    readonly wall: WallClock;
    readonly log: Logger;
  },
): Previews & { readonly line: PastLines } {
  const { embedded } = config.data;
  const { data, store, market, universe, whole, clock, wall, log } = given;
  const now = () => clock().now();
  const detectors = config.detectors.filter(({ enabled }) => enabled);
  const replayed = detectors.map(({ detector, options, schedule }) => ({
    name: detector.name,
    options,
    schedule,
  }));
  const archive = archived(config) ? { url: embedded.archive, whole } : undefined;
  const seen: PreviewsOptions['seen'] = (rule, { window, signal }) =>
    seenPast(rule, {
      data: data.questions(forAll),
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
    kept: (limit) => store.alerts.recent(limit),
    kinds: detectors.map(({ detector: { name, preset, groupWait = 0 } }) => ({ name, preset, groupWait })),
    replay: threadedReplay(entry),
    inhibitRules: config.inhibit,
    ...(archive !== undefined && {
      archive: {
        ...archive,
        detectors: replayed,
        memory: keptPast(store, [market, manifest.version, replayed, config.inhibit]),
      },
    }),
    seen,
  });
  const lines = createPastLines({ archive, line: threadedLine(entry), seen, now, wall, log });
  return {
    ...previews,
    line: lines.of,
    async close() {
      await Promise.all([previews.close(), lines.close()]);
    },
  };
}

/** Where there is no archive: what the service tells of the present is kept for the previews of all processes, by one. */
export function keepPresent(
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
  if (archived(config) || !config.watch) return [];
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
