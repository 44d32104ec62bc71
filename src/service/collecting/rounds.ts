import { onlyForward, type WallClock } from '../../runtime/clock.ts';
import { ApiError } from '../../runtime/errors.ts';
import { second } from '../../runtime/units.ts';
import { createCatchUp, messageOf } from './catch-up.ts';
import type { AnyHistory, Collector, CollectorContext, Round } from './collectors/collector.ts';
import type { FeedHealth } from './feed-health.ts';

/** How long after a tick its data is requested, market ms. By then the data has been published. */
export const publicationLag = 2 * second;
/**
 * How long after a tick its rows are missing for a round that runs early, market ms: the first one, or one repeated after a
 * failure. The round at `publicationLag` follows. Half of it, because a timer may fire a little early.
 */
const earliestRound = publicationLag / 2;
const minPause = 50;
const minBackoff = 250;
const maxBackoff = 30 * second;

export interface RunningCollector {
  readonly collector: Collector;
  readonly feed: FeedHealth;
  readonly histories: readonly AnyHistory[];
  readonly context: CollectorContext;
  /** Returns the market time by the exchange's clock, ms. */
  readonly now: () => number;
}

/**
 * Runs the rounds of one collector on the market clock, until the signal. A round that failed is repeated when its pause ends.
 * Never rejects.
 * @param onFirstRound called when the first round is over, even if it failed
 */
export async function keepCollecting(running: RunningCollector, onFirstRound: () => void): Promise<void> {
  const { collector, feed, histories, context, now } = running;
  const { clock, wall, random, signal } = context;
  const catchUp = createCatchUp(histories, context);
  let since: number | undefined;
  let failures = 0;
  while (!signal.aborted) {
    const at = now();
    let pause = 0;
    try {
      const round: Round = { now: at, since, catchUp: () => catchUp(at - earliestRound) };
      const problem = await (collector.collect?.(context, round) ?? round.catchUp());
      // What was called off because the service stops is no problem of the feed.
      if (signal.aborted) break;
      // A collector that listens to a stream reports its own state later: a round says nothing about the stream.
      if (collector.listen === undefined || !feed.hasSucceeded())
        await feed.recordSuccess(at, problem ?? null);
      since = at;
      failures = 0;
    } catch (error) {
      if (signal.aborted) break;
      await feed.recordProblem(messageOf(error)).catch(() => {});
      pause = pauseAfter(error, failures, random());
      failures += 1;
    }
    onFirstRound();
    if (collector.every === undefined && failures === 0) return;
    if (failures > 0) {
      // Not at the next tick: what is over would stay shown, and its data old, for up to hours.
      await wall.sleep(Math.max(pause, minPause), signal).catch(() => {});
      continue;
    }
    // If several rounds were missed, only the newest data is requested; gap repair fetches the rest.
    const next =
      (Math.floor((at - publicationLag) / (collector.every ?? 1)) + 1) * (collector.every ?? 1) +
      publicationLag;
    const wait = clock.wallUntil(next + (clock.now() - now()));
    await wall.sleep(Math.max(wait, minPause), signal).catch(() => {});
  }
  onFirstRound();
}

/** Listens to the collector's stream, if it has one, until the signal, and begins again after a failure. Never rejects. */
export const keepListening = ({ collector, context }: RunningCollector): Promise<void> =>
  repeatUntilDone(async () => collector.listen?.({ ...context, wall: onlyForward(context.wall) }), {
    ...context,
    onProblem: (problem) => context.report({ problem }),
  });

/** Returns the wall ms to wait after a failure: exponential backoff with jitter, or Retry-After if that is longer. */
export function pauseAfter(error: unknown, failures: number, random: number): number {
  const requestedPause = error instanceof ApiError ? (error.retryAfter ?? 0) : 0;
  const backoff = Math.min(maxBackoff, minBackoff * 2 ** Math.min(failures, 20));
  return Math.max(requestedPause, backoff * (0.5 + random / 2));
}

interface RepeatOptions {
  readonly wall: WallClock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Called with each failure. The pause begins when the returned promise, if any, has resolved; it must not reject. */
  readonly onProblem: (problem: string) => unknown;
}

/**
 * Repeats work until it succeeds, with a longer pause after each failure, and returns its result; undefined if the signal
 * aborts.
 */
export async function repeatUntilDone<Result>(
  work: () => Promise<Result>,
  { wall, random, signal, onProblem }: RepeatOptions,
): Promise<Result | undefined> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) break;
      await onProblem(messageOf(error));
      await wall.sleep(pauseAfter(error, failures, random()), signal).catch(() => {});
    }
  }
  return undefined;
}
