/** Entry of the process that computes a past. preview/process.ts starts one for each job. */
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { DataClient } from '../contract/data-client.ts';
import { contract, type EndpointName } from '../contract/index.ts';
import type { Detector } from '../detectors/detector.ts';
import { asLive } from '../preview/as-live.ts';
import type { LineJob, PastAnswer, PastJob } from '../preview/job.ts';
import { followAlerts, type PastAlerts } from '../preview/past-alerts.ts';
import { type Replayed, replay } from '../preview/replay.ts';
import { ruleReplay, rulesDetector } from '../rules/detector.ts';
import { type PastPoints, sampledPast } from '../rules/past.ts';
import { gatherSeen } from '../rules/past-readings.ts';
import { ruleIndexOf, symbolsOf } from '../rules/rule-index.ts';
import { ApiError } from '../runtime/errors.ts';
import { loadPlugins } from '../runtime/plugins.ts';
import { openArchivedPast } from '../service/past/archived-past.ts';

/** A data client that answers nothing: over a hosted service only the readings that the job brings (`over.seen`) are known. */
const emptyClient = Object.fromEntries(
  (Object.keys(contract) as EndpointName[]).map((name) => [
    name,
    async () => {
      throw new ApiError(contract[name].path, 'not_offered', 'only what was seen is known');
    },
  ]),
) as unknown as DataClient;

// Data that a past lacks leads to thousands of errors, whose stack traces nobody reads.
Error.stackTraceLimit = 0;
// Work on the present has priority, unless the system does not let a process choose.
try {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
} catch {}
// The bot decides when this process ends. A signal such as Ctrl+C may reach both, and the bot would report a failure.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});
process.on('disconnect', () => process.exit());

process.once('message', async (job: PastJob | LineJob) => {
  process.send?.(await answerTo(job));
});

async function answerTo(job: PastJob | LineJob): Promise<PastAnswer> {
  try {
    return 'line' in job ? { points: await pastLine(job) } : { past: await pastAlerts(job) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

async function pastLine({ over, from, to, line }: LineJob): Promise<PastPoints> {
  const { metric, symbol } = line;
  const past = await openArchivedPast({
    url: over.archiveUrl,
    end: to,
    source: 'simulated',
    // A metric of the whole market is computed from all symbols.
    ...(symbol !== null && { chooseSymbols: () => [symbol] }),
  });
  try {
    const { signal } = new AbortController();
    return await sampledPast(metric, {
      symbol: symbol ?? undefined,
      at: asLive(past.at).at,
      from,
      to,
      signal,
    });
  } finally {
    await past.close();
  }
}

async function pastAlerts({ over, from, to, what, inhibitRules }: PastJob): Promise<PastAlerts> {
  const past =
    'archiveUrl' in over
      ? await openArchivedPast({
          url: over.archiveUrl,
          end: to,
          source: 'simulated',
          ...('rules' in what && { chooseSymbols: (tracked) => symbolsOf(what.rules, tracked) }),
        })
      : { symbols: over.universe, at: () => emptyClient, close: async () => {} };
  try {
    const followed = followAlerts(inhibitRules);
    const detectors = await detectorsOf({ over, what }, past.symbols);
    const { seenSince } = await replay({
      detectors,
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

async function detectorsOf(
  { over, what }: Pick<PastJob, 'over' | 'what'>,
  symbols: readonly string[],
): Promise<Replayed[]> {
  if ('rules' in what) {
    const ruleIndex = ruleIndexOf(what.rules);
    const detector = rulesDetector({
      ruleIndex: () => ruleIndex,
      universe: () => symbols,
      ...('seen' in over && { ask: gatherSeen(over.seen) }),
    });
    return [{ detector: detector as Detector, ...ruleReplay(what.rules) }];
  }
  const known = await loadPlugins<Detector>(join(import.meta.dirname, '../detectors'), 'detector.ts');
  return what.detectors.flatMap(({ name, options, schedule }) => {
    const detector = known.find((each) => each.name === name);
    return detector === undefined ? [] : [{ detector, options: removeSymbolLimit(options), schedule }];
  });
}

/** Removes the limit on the symbols of a detector: it protects the request budget, and a replay has none. */
function removeSymbolLimit(options: unknown): unknown {
  const bounded = typeof options === 'object' && options !== null && 'maxSymbols' in options;
  return bounded ? { ...options, maxSymbols: Number.MAX_SAFE_INTEGER } : options;
}
