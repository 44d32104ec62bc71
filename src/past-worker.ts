/** The thread of the past: its one entry, started by preview/thread.ts for one job. */
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { Detector } from './detectors/detector.ts';
import type { PastAnswer, PastJob } from './preview/job.ts';
import { followAlerts, type PastAlerts } from './preview/past-alerts.ts';
import { type Replayed, replay } from './replay/replay.ts';
import { bookOf } from './rules/book.ts';
import { rulesDetector } from './rules/detector.ts';
import { loadPlugins } from './runtime/plugins.ts';
import { openArchivedPast } from './service/archived-past.ts';

/** Live they are looked at every minute; what they look at mostly changes every five, and a person waits. */
const rulesEvery = '15 */5 * * * *';

const say = (answer: PastAnswer) => parentPort?.postMessage(answer);

try {
  say({ past: await pastAlerts(workerData as PastJob) });
} catch (error) {
  say({ problem: error instanceof Error ? error.message : String(error) });
}

async function pastAlerts({ archiveUrl, from, to, what, inhibitRules }: PastJob): Promise<PastAlerts> {
  const past = await openArchivedPast({ url: archiveUrl, end: to, source: 'simulated' });
  try {
    const followed = followAlerts(inhibitRules);
    const { seenSince } = await replay({
      detectors: await detectorsOf(what, past.symbols),
      at: past.at,
      from,
      to,
      symbols: past.symbols,
      onAlert: followed.add,
    });
    return { from, to, alerts: followed.alerts(), since: seenSince };
  } finally {
    await past.close();
  }
}

async function detectorsOf(what: PastJob['what'], symbols: readonly string[]): Promise<Replayed[]> {
  if ('rules' in what) {
    const book = bookOf(what.rules);
    const detector = rulesDetector({ book: () => book, universe: () => symbols, ended: async () => {} });
    return [
      {
        detector: detector as Detector,
        options: detector.options.parse({ requests: 100 }),
        schedule: rulesEvery,
      },
    ];
  }
  const known = await loadPlugins<Detector>(join(import.meta.dirname, 'detectors'), 'detector.ts');
  return what.detectors.flatMap(({ name, options, schedule }) => {
    const detector = known.find((each) => each.name === name);
    return detector === undefined ? [] : [{ detector, options: unbounded(options), schedule }];
  });
}

/** How many symbols a detector asks for is the budget's matter, and the past has none. */
function unbounded(options: unknown): unknown {
  const bounded = typeof options === 'object' && options !== null && 'maxSymbols' in options;
  return bounded ? { ...options, maxSymbols: Number.MAX_SAFE_INTEGER } : options;
}
