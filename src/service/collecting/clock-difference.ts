import type { Logger } from 'pino';
import { z } from 'zod';
import { type Clock, type MarketClock, steadyClock } from '../../runtime/clock.ts';
import { minute, second } from '../../runtime/units.ts';
import type { Archive } from '../archive/archive.ts';
import type { VenueClient } from '../venues/venue.ts';

const aheadKey = 'universe.ahead';

interface ClockDifferenceOptions {
  readonly archive: Archive;
  readonly markets: Pick<VenueClient, 'serverTime'>;
  readonly clock: MarketClock;
  readonly log: Logger;
  /** Shows whether our clock has been put back. Absent: the system's. */
  readonly steady?: Clock | undefined;
}

export type ClockDifference = Awaited<ReturnType<typeof openClockDifference>>;

/** Opens the difference between our clock and the exchange's. */
export async function openClockDifference({
  archive,
  markets,
  clock,
  log,
  steady = steadyClock,
}: ClockDifferenceOptions) {
  let aheadBy = z.number().safeParse(await archive.get(aheadKey)).data ?? 0;
  const clockOffset = () => clock.now() - steady.now() * clock.speed;
  let offsetWhenMeasured = clockOffset();
  /** A smaller correction is found when the clock is next measured. */
  const leastPutBack = minute;
  const putBackBy = () => {
    const by = offsetWhenMeasured - clockOffset();
    return by >= leastPutBack ? by : 0;
  };
  return {
    /**
     * Returns by how many market ms our clock is ahead of the exchange's, as last measured, less the time by which our clock has
     * been put back since.
     */
    aheadBy: (): number => (aheadBy === 0 ? 0 : Math.max(0, aheadBy - putBackBy())),
    async measureClock(): Promise<void> {
      const askedAt = clock.now();
      const exchangeTime = await markets.serverTime();
      const difference = clock.now() - exchangeTime;
      // Any other difference may be the time that the response took, at the market's speed.
      const isAhead = askedAt > exchangeTime && difference > 2 * second * clock.speed;
      aheadBy = isAhead ? difference : 0;
      offsetWhenMeasured = clockOffset();
      if (aheadBy > 0) {
        log.warn(
          { aheadMs: Math.round(aheadBy) },
          'this machine’s clock is ahead of the exchange’s: synchronize it by NTP',
        );
      }
      await archive.put(aheadKey, aheadBy);
    },
  };
}
