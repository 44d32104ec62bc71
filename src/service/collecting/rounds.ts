import { ApiError } from '../../runtime/errors.ts';
import { second } from '../../runtime/units.ts';
import type { AnyHistory, Collector, CollectorContext, Round } from '../collectors/collector.ts';
import { catchUp, messageOf } from './catch-up.ts';
import type { FeedHealth } from './feed.ts';

/** Market ms after a tick at which it is asked for: what belongs to it is published by then. */
export const lag = 2 * second;
const shortestPause = 50;
const firstBackoff = 250;
const longestBackoff = 30 * second;

export interface Running {
  readonly collector: Collector;
  readonly feed: FeedHealth;
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
      const round: Round = { now: at, since, catchUp: () => catchUp(histories, { context, now: at }) };
      const problem = await (collector.collect?.(context, round) ?? round.catchUp());
      // A listener reports for itself from then on: that its past was read says nothing about its present.
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
    // Late by more than one round: the newest is asked for, gap repair fills in what was passed over.
    const next = (Math.floor((at - lag) / (collector.every ?? 1)) + 1) * (collector.every ?? 1) + lag;
    const wait = clock.wallUntil(next + (clock.now() - now()));
    await wall.sleep(Math.max(wait, pause, shortestPause), signal).catch(() => {});
  }
  first();
}

/** A failing upstream is asked less and less often, with jitter, or when it said. */
export function pauseAfter(
  error: unknown,
  { failures, random }: { readonly failures: number; readonly random: number },
): number {
  const asked = error instanceof ApiError ? (error.retryAfter ?? 0) : 0;
  const backoff = Math.min(longestBackoff, firstBackoff * 2 ** Math.min(failures, 20));
  return Math.max(asked, backoff * (0.5 + random / 2));
}
