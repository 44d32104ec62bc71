import { ApiError } from '../../runtime/errors.ts';
import { second } from '../../runtime/units.ts';
import type { AnyHistory, Collector, CollectorContext, Round } from '../collectors/collector.ts';
import { catchUp, messageOf } from './catch-up.ts';
import type { FeedHealth } from './feed.ts';

/** How long after a tick its data is requested, market ms. By then the data has been published. */
export const lag = 2 * second;
const shortestPause = 50;
const firstBackoff = 250;
const longestBackoff = 30 * second;

export interface Running {
  readonly collector: Collector;
  readonly feed: FeedHealth;
  readonly histories: readonly AnyHistory[];
  readonly context: CollectorContext;
  /** Returns the market time by the exchange's clock, ms. */
  readonly now: () => number;
}

/**
 * Runs the rounds of one collector on the market clock, until the signal. Never rejects.
 * @param first called when the first round is over, even if it failed
 */
export async function keepCollecting(running: Running, first: () => void): Promise<void> {
  const { collector, feed, histories, context, now } = running;
  const { clock, wall, random, signal } = context;
  let since: number | undefined;
  let failures = 0;
  while (!signal.aborted) {
    const at = now();
    let pause = 0;
    try {
      const round: Round = { now: at, since, catchUp: () => catchUp(histories, { context, now: at }) };
      const problem = await (collector.collect?.(context, round) ?? round.catchUp());
      // A collector that listens to a stream reports its own state later: a round says nothing about the stream.
      if (collector.listen === undefined || !feed.known()) await feed.well(at, problem ?? null);
      since = at;
      failures = 0;
    } catch (error) {
      if (signal.aborted) break;
      await feed.wrong(messageOf(error)).catch(() => {});
      pause = pauseAfter(error, { failures, random: random() });
      failures += 1;
    }
    first();
    if (collector.every === undefined && failures === 0) return;
    // If several rounds were missed, only the newest data is requested; gap repair fetches the rest.
    const next = (Math.floor((at - lag) / (collector.every ?? 1)) + 1) * (collector.every ?? 1) + lag;
    const wait = clock.wallUntil(next + (clock.now() - now()));
    await wall.sleep(Math.max(wait, pause, shortestPause), signal).catch(() => {});
  }
  first();
}

/** Returns the wall ms to wait after a failure: exponential backoff with jitter, or Retry-After if that is longer. */
export function pauseAfter(
  error: unknown,
  { failures, random }: { readonly failures: number; readonly random: number },
): number {
  const asked = error instanceof ApiError ? (error.retryAfter ?? 0) : 0;
  const backoff = Math.min(longestBackoff, firstBackoff * 2 ** Math.min(failures, 20));
  return Math.max(asked, backoff * (0.5 + random / 2));
}
