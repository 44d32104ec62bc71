import type { Logger } from 'pino';
import type { MarketClock, WallClock } from '../../runtime/clock.ts';
import { hour, minute } from '../../runtime/units.ts';
import type { Archive } from '../archive/archive.ts';
import type { Backfill } from './backfill.ts';
import { messageOf } from './catch-up.ts';
import type { FeedHealth } from './feed-health.ts';
import { pauseAfter, type RunningCollector } from './rounds.ts';
import type { Universe } from './universe.ts';

/**
 * The shortest time between two passes, wall ms. Looking for gaps takes a few ms per symbol; in a fast market, hourly passes
 * would otherwise follow each other without a pause.
 */
const minPause = minute;

/**
 * Repairs gaps in the background of a ready service, until the signal. All windows are repaired at the start and after each
 * renewal of the universe (daily), the windows that responses need every market hour. Each pass measures the exchange's clock
 * first. A pass in which something failed is repeated after a pause that grows with each failure.
 */
export async function keepRepairing(options: {
  readonly filling: Backfill;
  readonly feeds: readonly RunningCollector[];
  readonly universe: Universe;
  readonly universeFeed: FeedHealth;
  readonly archive: Archive;
  readonly clock: MarketClock;
  readonly wall: WallClock;
  readonly random: () => number;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { filling, feeds, universe, universeFeed, archive, clock, wall, random, log, signal } = options;
  let repairAll = true;
  let failures = 0;
  while (!signal.aborted) {
    try {
      // After a failure the last difference holds. What is wrong with the exchange is reported by its feeds.
      await universe.measureClock().catch(() => {});
      if (universe.isStale() && (await renewUniverse())) {
        // By the exchange's time: by a clock that is set a year ahead, all that was recorded would be too old to be kept.
        await archive.prune(Math.floor(clock.now() - universe.aheadBy()));
        repairAll = true;
      }
      const filled = await filling.repair(feeds, repairAll);
      if (signal.aborted) return;
      failures = filled ? 0 : failures + 1;
      repairAll &&= !filled;
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ err: error }, 'could not repair gaps; retrying');
      failures += 1;
    }
    const nextHour = (Math.floor(clock.now() / hour) + 1) * hour;
    const pause =
      failures > 0
        ? pauseAfter(undefined, failures + 2, random())
        : Math.max(minPause, clock.wallUntil(nextHour));
    await wall.sleep(pause, signal).catch(() => {});
  }

  async function renewUniverse(): Promise<boolean> {
    try {
      await universe.renew();
      await universeFeed.recordSuccess(clock.now());
      return true;
    } catch (error) {
      if (!signal.aborted) await universeFeed.recordProblem(messageOf(error));
      return false;
    }
  }
}
