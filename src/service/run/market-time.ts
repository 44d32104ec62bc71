import type { Clock, MarketClock, WallClock } from '../../runtime/clock.ts';
import { second } from '../../runtime/units.ts';
import type { Archive } from '../archive/archive.ts';

const storeInterval = 1 * second;
/**
 * How far the stored time lies ahead of the clock, wall ms, so that market time never runs backwards: if the process is
 * killed, the next start begins later than any time that the killed process has reported.
 */
const storedLead = 2 * storeInterval;

/**
 * Creates the clock of a simulated or recorded market. It continues from the time stored in the archive, the first time from
 * `start`. While the past is being loaded, the clock runs slowly. Otherwise market time would pass that nobody watches; on a
 * slow machine that would be most of it.
 * @param steady wall ms that never jump, unlike the machine's time of day
 */
export async function openMarketTime(
  archive: Archive,
  options: {
    readonly start: number;
    readonly speed: number;
    readonly steady: Clock;
    readonly wall: WallClock;
  },
) {
  const { start, speed, steady, wall } = options;
  const storedTime = await archive.get('market-time');
  const initialPace = Math.min(1, speed);
  let anchor = {
    market: typeof storedTime === 'number' ? storedTime : start,
    wall: steady.now(),
    pace: initialPace,
  };
  const now = () => Math.floor(anchor.market + (steady.now() - anchor.wall) * anchor.pace);
  // Computed at full speed, so that a waiting caller wakes early enough if `run` is called meanwhile.
  const clock: MarketClock = { now, speed, wallUntil: (at) => Math.max(0, (at - now()) / speed) };
  const storeTime = (lead: number) => archive.put('market-time', Math.ceil(clock.now() + lead * speed));
  const running = Promise.withResolvers<void>();
  const ending = new AbortController();

  await storeTime(storedLead);
  const keeping = (async () => {
    while (!ending.signal.aborted) {
      await wall.sleep(storeInterval, ending.signal).catch(() => {});
      // A single failed write does no harm, because the lead covers two intervals.
      await storeTime(storedLead).catch(() => {});
    }
  })();

  return {
    /** Until `run` is called, the clock runs at most at wall speed; from then on at the market's own speed. */
    clock,
    /** Returns the number of market seconds that pass in a wall second. */
    pace: () => anchor.pace,
    /** Sets the clock to the market's own speed. Called when the needed past is loaded. */
    run() {
      anchor = { market: now(), wall: steady.now(), pace: speed };
      running.resolve();
    },
    /** Resolves when `run` has been called. */
    running: running.promise,
    /** Stores the market time at which the clock stopped. */
    async close() {
      ending.abort();
      await keeping;
      await storeTime(0);
    },
  };
}
