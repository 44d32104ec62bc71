import { ownRule, type Rule } from '../alert/rule.ts';
import type { MetricName } from '../rules/metrics.ts';
import { type PastPoints, sampledPast } from '../rules/past.ts';
import { createPatience } from '../runtime/patience.ts';
import { minute } from '../runtime/units.ts';
import { asLive } from './as-live.ts';
import type { PreviewsOptions } from './create-previews.ts';
import { previewPeriod } from './preview.ts';
import { createReplayQueue } from './replay-queue.ts';
import type { SlicePause } from './slices.ts';

/** A line is cached for some minutes: the service itself provides what is newer. */
const limits = { maxWaiting: 6, maxCached: 30, cachedFor: 5 * minute };
/** How long a caller waits for a line, wall ms. */
const patience = minute / 2;

/** A figure of one symbol or (null) of the whole market. */
interface PastNumber {
  readonly metric: MetricName;
  readonly symbol: string | null;
}

/**
 * Returns the past of a figure over the days of a preview, oldest first; undefined if there is none, or reading takes
 * too long.
 */
export type PastLines = (line: PastNumber) => Promise<PastPoints | undefined>;

/**
 * Reads the past of figures that the service does not provide itself: from its archive, one at a time and beside the
 * bot's work; without an archive, from what the bot has recorded.
 */
export function createPastLines({
  archive,
  slices,
  seen,
  now,
  wall,
  log,
}: Pick<PreviewsOptions, 'archive' | 'slices' | 'now' | 'seen' | 'wall' | 'log'>): {
  readonly of: PastLines;
  close(): Promise<void>;
} {
  const closing = new AbortController();
  const within = createPatience(wall, closing.signal);
  const queue = createReplayQueue<PastPoints | undefined>({ ...limits, wall, closing: closing.signal });

  async function read(line: PastNumber): Promise<PastPoints | undefined> {
    const to = Math.floor(now());
    const from = to - previewPeriod;
    const { signal } = closing;
    if (archive !== undefined) return slices.urgently((pause) => sampled(line, { from, to, pause }));
    const past = await seen(ruleAbout(line), { window: { from, to }, signal });
    if (past === undefined || past === 'many') return undefined;
    return past.seen.flatMap(({ time, values: { [line.metric]: value } }) =>
      typeof value === 'number' ? [[time, value] as const] : [],
    );
  }

  async function sampled(
    { metric, symbol }: PastNumber,
    { from, to, pause }: { readonly from: number; readonly to: number; readonly pause: SlicePause },
  ): Promise<PastPoints | undefined> {
    // A metric of the whole market is computed from all symbols.
    const choose = symbol === null ? undefined : () => [symbol];
    const past = await archive?.open({ end: to, pause, choose });
    if (past === undefined) return undefined;
    try {
      const at = asLive(past.at);
      return await sampledPast(metric, { symbol: symbol ?? undefined, at, from, to, signal: closing.signal });
    } finally {
      await past.close();
    }
  }

  const warn = (error: unknown) => {
    if (!closing.signal.aborted) log.warn({ err: error }, 'could not read the past of a number');
    throw error;
  };

  return {
    async of(line) {
      if (archive?.whole() === false) return undefined;
      const points = queue.of(`${line.metric} ${line.symbol ?? ''}`, () => read(line).catch(warn));
      return points && within(patience, points).catch(() => undefined);
    },
    async close() {
      closing.abort(new Error('the bot is stopping'));
      await queue.ended();
    },
  };
}

/** Makes a rule that depends on this figure alone. */
const ruleAbout = ({ metric, symbol }: PastNumber): Rule => ({
  id: 'line',
  receiver: { notifier: ownRule, address: {} },
  name: null,
  condition: `${metric} > 0.0`,
  clear: null,
  symbols: symbol === null ? [] : [symbol],
  hold: 0,
  mode: 'always',
  expiresAt: null,
  severity: 'info',
  paused: false,
  createdBy: '',
  createdAt: 0,
});
