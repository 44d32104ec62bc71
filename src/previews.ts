import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { createPreviews, type Previews } from './preview/previews.ts';
import { threadedReplay } from './preview/thread.ts';
import type { WallClock } from './runtime/clock.ts';
import type { Store } from './store/store.ts';

/** Previews over the embedded service's archive, which is read in a thread of its own; else over the alerts kept. */
export function openPreviews(
  config: Config,
  given: {
    readonly store: Store;
    readonly universe: () => readonly string[];
    readonly now: () => number;
    readonly wall: WallClock;
    readonly log: Logger;
  },
): Previews {
  const { url, embedded } = config.data;
  const detectors = config.detectors.filter(({ enabled }) => enabled);
  // An archive in memory is its service's alone.
  const offered = url === null && embedded.archive !== 'file::memory:';
  return createPreviews({
    ...given,
    kept: (limit) => given.store.alerts.recent(limit),
    kinds: detectors.map(({ detector: { name, preset, groupWait = 0 } }) => ({ name, preset, groupWait })),
    ...(offered && {
      past: {
        replay: threadedReplay(new URL('./past-worker.ts', import.meta.url)),
        archiveUrl: embedded.archive,
        inhibitRules: config.inhibit,
        detectors: detectors.map(({ detector, options, schedule }) => ({
          name: detector.name,
          options,
          schedule,
        })),
      },
    }),
  });
}
