import type { Logger } from 'pino';
import manifest from '../../package.json' with { type: 'json' };
import type { Client } from '../client/create-client.ts';
import { createPreviews, type Previews } from '../preview/previews.ts';
import { threadedReplay } from '../preview/thread.ts';
import { startKeeping } from '../rules/keep.ts';
import { seenPast } from '../rules/seen.ts';
import type { MarketClock, WallClock } from '../runtime/clock.ts';
import { ApiError } from '../runtime/errors.ts';
import type { Store } from '../store/store.ts';
import type { Config } from './config.ts';
import { keptPast } from './kept-past.ts';

/** One preview serves whoever asks for it: none of them pays for it alone. */
const forAll = { chat: 'previews', person: 'previews' };

/**
 * Previews over the embedded service's archive, which is read in a thread of its own. A hosted one has none to read:
 * then over the alerts kept, and for rules over what it tells of its past and what is kept of its present here.
 */
export function openPreviews(
  config: Config,
  given: {
    readonly data: Pick<Client, 'polls' | 'questions'>;
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
): Previews {
  const { url, embedded } = config.data;
  const { data, store, market, universe, whole, clock, wall, log } = given;
  const now = () => clock().now();
  const detectors = config.detectors.filter(({ enabled }) => enabled);
  // An archive in memory is its service's alone.
  const offered = url === null && embedded.archive !== 'file::memory:';
  const replayed = detectors.map(({ detector, options, schedule }) => ({
    name: detector.name,
    options,
    schedule,
  }));
  const previews = createPreviews({
    universe,
    now,
    wall,
    log,
    kept: (limit) => store.alerts.recent(limit),
    kinds: detectors.map(({ detector: { name, preset, groupWait = 0 } }) => ({ name, preset, groupWait })),
    replay: threadedReplay(new URL('./past-worker.ts', import.meta.url)),
    inhibitRules: config.inhibit,
    ...(offered && {
      archive: {
        url: embedded.archive,
        whole,
        detectors: replayed,
        memory: keptPast(store, [market, manifest.version, replayed, config.inhibit]),
      },
    }),
    seen: (rule, { window, signal }) =>
      seenPast(rule, {
        data: data.questions(forAll),
        universe: universe(),
        ...window,
        signal,
        page: (feed, { window, limit }) => store.readings.page(market, { feed, window, limit }),
      }),
  });
  if (offered || !config.watch) return previews;

  const keeping = startKeeping({
    data: data.polls,
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
  return {
    ...previews,
    async close() {
      await Promise.all([previews.close(), keeping.stop()]);
    },
  };
}
