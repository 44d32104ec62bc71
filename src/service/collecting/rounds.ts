import { ApiError } from '../../runtime/errors.ts';
import { second } from '../../runtime/units.ts';
import type { AnyHistory, Collector, CollectorContext, Round } from '../collectors/collector.ts';
import { eachBounded } from './bounded.ts';
import type { Feed } from './feed.ts';
import { newestTime } from './pages.ts';

/** Market ms after a tick at which it is asked for: what belongs to it is published by then. */
export const lag = 2 * second;
const parallel = 8;
const shortestPause = 50;
const firstBackoff = 250;
const longestBackoff = 30 * second;

export interface Running {
  readonly collector: Collector;
  readonly feed: Feed;
  readonly histories: readonly AnyHistory[];
  readonly context: CollectorContext;
  /** Market ms by the exchange's clock. */
  readonly now: () => number;
}

/** Rounds of one collector on the market clock, until the signal. Never rejects. `first` is called after the first. */
export async function keepCollecting(running: Running, first: () => void): Promise<void> {
  const { collector, feed, histories, context, now } = running;
  const { clock, wall, random, signal } = context;
  let since: number | undefined;
  let failures = 0;
  while (!signal.aborted) {
    const at = now();
    let pause = 0;
    try {
      const round: Round = { now: at, since, catchUp: () => catchUp(histories, context, at) };
      await (collector.collect?.(context, round) ?? round.catchUp());
      // A listener reports for itself from then on: that its past was read says nothing about its present.
      if (collector.listen === undefined || !feed.known()) await feed.well(at);
      since = at;
      failures = 0;
    } catch (error) {
      if (signal.aborted) break;
      await feed.wrong(messageOf(error)).catch(() => {});
      pause = pauseAfter(error, failures, random());
      failures += 1;
    }
    first();
    if (collector.every === undefined && failures === 0) return;
    // Late by more than one round: the newest is asked for, gap repair fills in what was passed over.
    const next = (Math.floor((at - lag) / (collector.every ?? 1)) + 1) * (collector.every ?? 1) + lag;
    const wait = clock.wallUntil(next + (clock.now() - now()));
    await wall.sleep(Math.max(wait, pause, shortestPause), signal).catch(() => {});
  }
  first();
}

/** A failing upstream is asked less and less often, with jitter, or when it said. */
export function pauseAfter(error: unknown, failures: number, random: number): number {
  const asked = error instanceof ApiError ? (error.retryAfter ?? 0) : 0;
  const backoff = Math.min(longestBackoff, firstBackoff * 2 ** Math.min(failures, 20));
  return Math.max(asked, backoff * (0.5 + random / 2));
}

/** For every symbol what is newer than its newest row; of one far behind the newest page. */
async function catchUp(
  histories: readonly AnyHistory[],
  context: CollectorContext,
  now: number,
): Promise<void> {
  for (const history of histories) {
    const newest = newestTime(history, now);
    // Between settlements nothing shows whether one is missing: where a row may come at any hour, it is asked for.
    const until = history.series === 'funding' ? now : newest;
    const latest = await context.archive.latest(history.series, now);
    const lastOf = new Map(latest.map(({ symbol, time }) => [symbol, time]));
    const symbols = (history.symbols ?? context.symbols()).filter(
      (symbol) => (lastOf.get(symbol) ?? 0) < until,
    );
    const failures = await eachBounded(symbols, parallel, async (symbol) => {
      // The past of a symbol without any row is the backfill's; of one far behind, what is before the newest page.
      const last = lastOf.get(symbol);
      const oldest = newest - (history.pageSteps - 1) * history.step;
      const from = last === undefined ? newest : Math.max(last + 1, oldest);
      await history.fill(symbol, { from, to: until, urgent: true }, context);
    });
    const [failure] = failures;
    if (failure !== undefined) {
      if (failures.length === symbols.length) throw failure.error;
      throw new Error(`${failures.length} of ${symbols.length} symbols: ${messageOf(failure.error)}`, {
        cause: failure.error,
      });
    }
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
