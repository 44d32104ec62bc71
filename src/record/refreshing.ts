import type { WallClock } from '../runtime/clock.ts';
import { startLoop } from '../runtime/loop.ts';
import { minute } from '../runtime/units.ts';
import type { Records } from './records.ts';

export interface Refreshing {
  /** Says that this process has stored a price, so that the record is computed again soon. */
  priceStored(): void;
  /** Stops after the computation under way. */
  stop(): Promise<void>;
}

/** Wall ms between two computations of the record: the record of weeks changes little in a minute. */
const computeEvery = minute;
/** Wall ms after which the record is computed again in any case: another process may have stored prices. */
const computeAgainAfter = 10 * minute;

/**
 * Keeps the record of each kind up to date. Only one process records prices, but every process shows the record, so this
 * runs in all of them.
 */
export function keepRefreshed(
  records: Pick<Records, 'refresh'>,
  wall: WallClock,
  log: { error(context: object, message: string): void },
): Refreshing {
  let computedAt = Number.NEGATIVE_INFINITY;
  let stale = false;
  const loop = startLoop(
    async () => {
      const age = wall.now() - computedAt;
      // An age below 0 is of a clock that was set back since.
      if (age < 0 || age >= computeAgainAfter || (age >= computeEvery && stale)) {
        computedAt = wall.now();
        stale = false;
        await records.refresh().catch((error: unknown) => {
          stale = true;
          throw error;
        });
      }
      return computeEvery;
    },
    {
      wall,
      onError: (error) => log.error({ err: error }, 'error while computing the record; continuing'),
    },
  );
  return {
    priceStored() {
      stale = true;
    },
    stop: loop.stop,
  };
}
