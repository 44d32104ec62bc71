import type { MarketClock, WallClock } from '../runtime/clock.ts';
import { startLoop } from '../runtime/loop.ts';
import { minute, second } from '../runtime/units.ts';
import { createGatherer, type GatherOptions } from './gather.ts';
import type { Records } from './records.ts';

export interface RecordingOptions extends Pick<GatherOptions, 'data' | 'market' | 'outcomes'> {
  readonly records: Pick<Records, 'refresh' | 'outdated'>;
  /** Called each time: the service's clock may differ after its restart. */
  readonly clock: () => MarketClock;
  readonly wall: WallClock;
  readonly log: GatherOptions['log'] & { error(context: object, message: string): void };
}

export interface Recording {
  /** Stops after the step under way has been stored. */
  stop(): Promise<void>;
}

/** Wall ms between two computations of the record: the record of weeks changes little in a minute. */
const computeEvery = minute;

/** Follows what the price does after alerts, and keeps the record of each kind up to date. */
export function startRecording(options: RecordingOptions): Recording {
  const { outcomes, data, records, market, clock, wall, log } = options;
  const stopping = new AbortController();
  const gather = createGatherer({
    data,
    outcomes,
    market,
    now: () => clock().now(),
    log,
    signal: stopping.signal,
  });
  let computedAt = Number.NEGATIVE_INFINITY;
  let stale = true;

  const loop = startLoop(
    async () => {
      stale = (await gather()) || stale || records.outdated();
      if (stale && wall.now() - computedAt >= computeEvery) {
        computedAt = wall.now();
        stale = false;
        await records.refresh();
      }
      // So that there are two turns within the time by which a price may be late.
      return Math.min(minute, Math.max(second / 2, (2 * minute) / clock().speed));
    },
    {
      wall,
      onError(error) {
        if (!stopping.signal.aborted) log.error({ err: error }, 'error while recording outcomes; continuing');
      },
    },
  );
  return {
    async stop() {
      stopping.abort(new Error('the bot is stopping'));
      await loop.stop();
    },
  };
}
